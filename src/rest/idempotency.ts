import type { IncomingMessage } from 'node:http'
import { TRPCError } from '@trpc/server'
import type { Principal } from '../domain/core/actor.ts'
import type { Caller } from '../domain/core/caller.ts'
import type { CallerContext } from '../domain/core/context.ts'
import { sha256 } from '../domain/core/digest.ts'
import { claimIdempotencyKey, type IdempotentRequest, keptResponse, storeResponse } from '../domain/core/idempotency.ts'
import { Problem } from '../domain/core/problem.ts'
import type { InTransaction } from '../domain/core/transaction.ts'
import { copiesInTurn, transactInTurn } from '../domain/core/turns/transact-in-turn.ts'
import type { RestResponse } from './http/response.ts'
import type { RestRoute } from './openapi/routes.ts'

/** What identifies a repeated request, or undefined when the caller sent no key. */
export function idempotentRequestOf(
  { headers }: IncomingMessage,
  route: string,
  principal: Principal,
  body: unknown,
): IdempotentRequest | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Problem('invalid_request', 'Idempotency-Key: must be 1 to 255 visible ASCII characters.')
  }
  const owner = principal.kind === 'user' ? `${principal.clientId ?? ''} ${principal.userId}` : principal.clientId
  // the scopes count too: a kept answer is only for a caller who may still do what was done
  const scopes = principal.scopes.toSorted().join(' ')
  return { owner, key, fingerprint: sha256(`${route} ${scopes} ${JSON.stringify(body, inOrder)}`) }
}

/** For `JSON.stringify`: fields in the order of their names, for it does not matter in which a client sends them. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

type Run = (context: CallerContext) => Promise<RestResponse>
type Call = { route: RestRoute; body: unknown; run: Run }
type Asking = CallerContext & { caller: Caller }

/**
 * Runs a request once per key. Claim, effect and answer commit together, so a failure leaves the key free again. In turn, because
 * what `run` waits for is waited for in this transaction, and what the operation counts is counted before it: by the first alone, for
 * its copies wait until there is an answer.
 */
export async function runOnce(
  context: Asking,
  attempt: IdempotentRequest,
  { route, body, run }: Call,
): Promise<RestResponse> {
  const input = await requireInput(route, body)
  const { principal } = context
  const { countBefore } = route.operation
  if (!countBefore || principal.kind !== 'user') return runClaimed(context, attempt, { run })
  const count = () => countBefore({ ...context, principal }, input as never)
  return copiesInTurn(context, `${attempt.owner} ${attempt.key}`, (waitMs) =>
    runCounted(context, attempt, { run, count, waitMs }),
  )
}

type Counted = { run: Run; count: () => Promise<() => Promise<void>>; waitMs: number }

/**
 * Gives back what was counted where `run` was not begun: another process had claimed the key. Its place may have been the last one, so
 * who gets none is refused only once the key is known to be free.
 */
async function runCounted(context: Asking, attempt: IdempotentRequest, { run, count, waitMs }: Counted) {
  const kept = await keptResponse(context, attempt)
  if (kept !== undefined) return JSON.parse(kept) as RestResponse
  const place = await count().catch(asRefusal)
  if (place instanceof Problem) return runClaimed(context, attempt, { run: () => Promise.reject(place), waitMs })
  let isBegun = false
  const onTry = (begins: boolean) => {
    isBegun = begins
  }
  try {
    return await runClaimed(context, attempt, { run, waitMs, onTry })
  } finally {
    if (!isBegun) await place()
  }
}

function asRefusal(error: unknown): Problem {
  if (error instanceof Problem && error.code === 'rate_limited') return error
  throw error
}

/** `onTry` is told of each try whether it has come to `run`. */
type Claimed = { run: Run; waitMs?: number; onTry?: (isBegun: boolean) => void }

function runClaimed(context: Asking, attempt: IdempotentRequest, { run, waitMs, onTry = () => {} }: Claimed) {
  const work = async (tx: InTransaction<Asking>): Promise<RestResponse> => {
    onTry(false) // what an earlier one has done was undone
    const kept = await claimIdempotencyKey(tx, attempt)
    if (kept !== undefined) return JSON.parse(kept) as RestResponse
    onTry(true)
    const answer = await run(tx)
    await storeResponse(tx, attempt, JSON.stringify(answer))
    return answer
  }
  return transactInTurn(context, work, waitMs)
}

/**
 * The input. Throws for one which the procedure would refuse in the same words, but only when it is its turn and its key was claimed. That its
 * schema is asked twice costs some µs of a transaction; a middleware that claims the key behind the schema would cost every request as much.
 */
async function requireInput({ input }: RestRoute, body: unknown): Promise<Record<string, unknown>> {
  const { error: cause, data } = await input.safeParseAsync(body)
  if (cause) throw new TRPCError({ code: 'BAD_REQUEST', cause })
  return data
}
