import { initTRPC, type TRPCError } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import { type Access, admit, asUser } from '../domain/access/admission.ts'
import type { Principal } from '../domain/core/actor.ts'
import type { Caller, Context as DomainContext } from '../domain/core/context.ts'
import { withinDeadline } from '../domain/core/deadline.ts'
import { Problem } from '../domain/core/problem.ts'
import type { OperationMeta } from './operation-meta.ts'
import { problemFrom, trpcCodes } from './problem.ts'

export type ProcedureContext = DomainContext & {
  caller: Caller
  /** Set where this very call was admitted already, as REST does before it reads the body. */
  principal?: Principal | undefined
}

const t = initTRPC
  .context<ProcedureContext>()
  .meta<OperationMeta>()
  .create({
    isDev: false,
    /** A stream ends after five minutes. The client asks for it again, which checks the credential anew. */
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

export const router = t.router
export const publicProcedure = t.procedure
export const cronProcedure = t.procedure.use(async ({ ctx, meta, next }) => {
  await admit(ctx, accessOf(meta), ctx.caller)
  return next()
})
export const callerProcedure = t.procedure.use(({ ctx, meta, path, next }) =>
  counted(ctx, path, async () => next(adding(ctx, await principalOf(ctx, meta)))),
)
export const userProcedure = t.procedure.use(({ ctx, meta, path, next }) =>
  counted(ctx, path, async () => next(adding(ctx, asUser(await principalOf(ctx, meta))))),
)

function accessOf(meta: OperationMeta | undefined): Access {
  if (meta?.access === undefined) throw new Error('A guarded procedure was declared without access')
  return meta.access
}

/** No guarded procedure runs without this: the caller was admitted before the call, or is admitted now. */
async function principalOf(ctx: ProcedureContext, meta: OperationMeta | undefined): Promise<Principal> {
  const principal = ctx.principal ?? (await admit(ctx, accessOf(meta), ctx.caller))
  if (principal === undefined) throw new Error('A procedure for callers was declared with access for cron')
  return principal
}

/** What the guard adds to the context: nothing when it is there already, because tRPC's copying is slow. */
function adding<Of extends Principal>(ctx: ProcedureContext, principal: Of) {
  const addition = ctx.principal === principal ? undefined : { ctx: { principal } }
  return addition as { ctx: { principal: Of } } // without an addition the context is as it was, with the same principal
}

type Outcome = { ok: true } | { ok: false; error: TRPCError }

/**
 * Counts a call of an application at /trpc, also when it is refused, and gives it an end; a stream has begun by then. REST counts
 * a request when it has ended, and bounds all of it.
 */
async function counted<Result extends Outcome>(ctx: ProcedureContext, path: string, call: () => Promise<Result>) {
  if (ctx.principal) return call()
  const begunMs = performance.now()
  const count = (status: number) => {
    const { clientId } = ctx.caller.record?.credential ?? {}
    if (clientId) ctx.usage.count(clientId, `/trpc/${path}`, status, performance.now() - begunMs)
  }
  try {
    const result = await withinDeadline(call())
    count(result.ok ? 200 : problemFrom(result.error).status)
    return result
  } catch (refusal) {
    if (refusal instanceof Problem) count(refusal.status)
    throw refusal
  }
}
