import { initTRPC, type TRPCError } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import { type Access, type Admission, admit, asUser } from '../domain/access/admission.ts'
import type { Principal } from '../domain/core/actor.ts'
import type { Caller, Context as DomainContext } from '../domain/core/context.ts'
import { Problem } from '../domain/core/problem.ts'
import type { OperationMeta } from './operation.ts'
import { problemFrom, trpcCodes } from './problem.ts'

export type ProcedureContext = DomainContext & {
  caller: Caller
  /** Set by a door that has already admitted this very call, as REST does before it reads the body. */
  admitted?: Admission | undefined
  principal?: Principal | undefined
}

const t = initTRPC
  .context<ProcedureContext>()
  .meta<OperationMeta>()
  .create({
    isDev: false,
    /** A stream ends after five minutes and is asked for again, by whoever may still have it. */
    sse: {
      maxDurationMs: 300_000,
      ping: { enabled: true, intervalMs: 15_000 },
      client: { reconnectAfterInactivityMs: 40_000 },
    },
    /** The HTTP status of /trpc follows `httpStatus`, so domain code never has to throw a TRPCError. */
    errorFormatter({ error }) {
      const { code, message, status } = problemFrom(error)
      const name = trpcCodes[status]
      return {
        message,
        code: TRPC_ERROR_CODES_BY_KEY[name],
        data: { code: name, httpStatus: status, problem: { code, message } },
      }
    },
  })

/** No guarded procedure runs without this: the caller was admitted at the door, or is admitted now. */
async function admitted(ctx: ProcedureContext, access: Access | undefined): Promise<Admission | undefined> {
  if (access === undefined) throw new Error('A guarded procedure was declared without access')
  return ctx.admitted ?? admit(ctx, access, ctx.caller)
}

async function principalOf(ctx: ProcedureContext, access: Access | undefined) {
  const admission = await admitted(ctx, access)
  if (admission === undefined) throw new Error('A procedure for callers was declared with access for the clock')
  return admission.principal
}

export const router = t.router
export const publicProcedure = t.procedure
export const cronProcedure = t.procedure.use(async ({ ctx, meta, next }) => {
  await admitted(ctx, meta?.access)
  return next()
})
export const callerProcedure = t.procedure.use(async ({ ctx, meta, path, next }) => {
  const principal = await principalOf(ctx, meta?.access).catch(countRefusal(ctx, path))
  return counted(ctx, path, principal, () => next(adding(ctx, principal)))
})
export const userProcedure = t.procedure.use(async ({ ctx, meta, path, next }) => {
  const principal = asUser(await principalOf(ctx, meta?.access).catch(countRefusal(ctx, path)))
  return counted(ctx, path, principal, () => next(adding(ctx, principal)))
})

/** What the guard adds to the context. A door that has admitted the call has added it already: tRPC's copying is slow. */
function adding<Of extends Principal>(ctx: ProcedureContext, principal: Of) {
  const addition = ctx.principal === principal ? undefined : { ctx: { principal } }
  return addition as { ctx: { principal: Of } } // without an addition the context is as it was, with the same principal
}

type Outcome = { ok: true } | { ok: false; error: TRPCError }

/** Counts what an application asks at /trpc. REST counts at its own door, and a person is nobody's application. */
async function counted<Result extends Outcome>(
  { admitted: isCounted, usage }: ProcedureContext,
  path: string,
  { clientId }: Principal,
  call: () => Promise<Result>,
): Promise<Result> {
  if (isCounted || clientId === null) return call()
  const begun = performance.now()
  const result = await call()
  const status = result.ok ? 200 : problemFrom(result.error).status
  usage.count(clientId, operationAt(path), status, performance.now() - begun)
  return result
}

/** A call of an application that may not pass. */
const countRefusal =
  ({ usage }: ProcedureContext, path: string) =>
  (error: unknown) => {
    if (error instanceof Problem && error.details.clientId) {
      usage.count(error.details.clientId, operationAt(path), error.status, 0)
    }
    throw error
  }

const operationAt = (path: string) => `/trpc/${path}`
