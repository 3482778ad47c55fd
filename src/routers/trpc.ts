import { initTRPC, type TRPCError } from '@trpc/server'
import { type Access, admit, asPrincipal, asUser } from '../domain/access/admission.ts'
import type { Reader } from '../domain/core/actor.ts'
import type { Caller } from '../domain/core/caller.ts'
import type { Context as DomainContext } from '../domain/core/context.ts'
import { withinDeadline } from '../domain/core/deadline.ts'
import { Problem } from '../domain/core/problem.ts'
import type { Role } from '../shared/roles.ts'
import { noteCall } from './note-call.ts'
import type { OperationMeta } from './operation-meta.ts'
import { callFailureOf, problemFrom } from './problem.ts'
import { LiveCall } from './streams.ts'

export type ProcedureContext = DomainContext & {
  caller: Caller
  /** Set where this very call was admitted already, as REST does before it reads the body. */
  principal?: Reader | undefined
  /** What the caller has to be in the application that this call is about. */
  role?: Role | undefined
}

const t = initTRPC
  .context<ProcedureContext>()
  .meta<OperationMeta>()
  .create({
    isDev: false,
    sse: {
      ping: { enabled: true, intervalMs: 15_000 },
      client: { reconnectAfterInactivityMs: 40_000 },
    },
    errorFormatter: ({ error }) => callFailureOf(error),
  })

export const router = t.router
export const publicProcedure = t.procedure
export const cronProcedure = t.procedure.use(async ({ ctx, meta, next }) => {
  await admit(ctx, accessOf(meta), ctx.caller)
  return next()
})
/** For the feed, which admits overlays by itself (`admitReader`): here, at /trpc, an overlay key is none. */
export const readerProcedure = t.procedure.use(({ ctx, meta, path, next, getRawInput }) =>
  counted(ctx, { path, meta, getRawInput }, async () => next(adding(ctx, meta, await readerOf(ctx, meta)))),
)
export const callerProcedure = t.procedure.use(({ ctx, meta, path, next, getRawInput }) =>
  counted(ctx, { path, meta, getRawInput }, async () =>
    next(adding(ctx, meta, asPrincipal(await readerOf(ctx, meta)))),
  ),
)
export const userProcedure = t.procedure.use(({ ctx, meta, path, next, getRawInput }) =>
  counted(ctx, { path, meta, getRawInput }, async () =>
    next(adding(ctx, meta, asUser(asPrincipal(await readerOf(ctx, meta))))),
  ),
)

function accessOf(meta: OperationMeta | undefined): Access {
  if (meta?.access === undefined) throw new Error('A guarded procedure was declared without access')
  return meta.access
}

/** No guarded procedure runs without this: the caller was admitted before the call, or is admitted now. */
async function readerOf(ctx: ProcedureContext, meta: OperationMeta | undefined): Promise<Reader> {
  const principal = ctx.principal ?? (await admit(ctx, accessOf(meta), ctx.caller))
  if (principal === undefined) throw new Error('A procedure for callers was declared with access for cron')
  return principal
}

/** What the guard adds to the context: nothing when it is there already, because tRPC's copying is slow. */
function adding<Of extends Reader>(ctx: ProcedureContext, meta: OperationMeta | undefined, principal: Of) {
  const addition = ctx.principal === principal ? undefined : { ctx: { principal, role: meta?.role } }
  return addition as { ctx: { principal: Of; role: Role | undefined } } // without one the context is as it was, with the same principal
}

type Outcome = { ok: true; data: unknown } | { ok: false; error: TRPCError }

/** Nobody will read a stream that opens after its call was refused. */
function leaveLate(outcome: Outcome) {
  if (outcome.ok && outcome.data instanceof LiveCall) outcome.data.stream.leave()
}

type Called = { path: string; meta: OperationMeta | undefined; getRawInput: () => Promise<unknown> }

/**
 * Counts and notes a call of an application at /trpc, also when it is refused, and gives it an end; a stream has begun by then. REST
 * does so when a request has ended, and bounds all of it.
 */
async function counted<Result extends Outcome>(
  ctx: ProcedureContext,
  { path, meta, getRawInput: input }: Called,
  call: () => Promise<Result>,
) {
  if (ctx.principal) return call()
  const begunMs = performance.now()
  const count = (problem?: Problem) =>
    noteCall(ctx, { operation: `/trpc/${path}`, problem, durationMs: performance.now() - begunMs, input })
  try {
    const result = await withinDeadline(call(), meta?.deadlineMs, leaveLate)
    count(result.ok ? undefined : problemFrom(result.error))
    return result
  } catch (refusal) {
    if (refusal instanceof Problem) count(refusal)
    throw refusal
  }
}
