import type { CalledContext } from '../core/context.ts'
import { sha256Hex } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { type Counted, countAllOrRefuse, countsByAddress, networkOf, rateLimits } from '../core/rate-limits.ts'
import { FairTurns } from '../core/turns/fair-turns.ts'

const TOO_MANY = 'Too many failed attempts. Wait a while before you try again.'
/** As many as wait for a hash, and as long. */
const WAITING_MAX = 100
const WAIT_MS = 4_000

/** Of each account and network one guess at a time, so that several at once which are right do not count as wrong ones meanwhile. */
const turns = new FairTurns({
  places: Number.POSITIVE_INFINITY,
  waitingMax: WAITING_MAX,
  refusal: () =>
    new Problem('unavailable', 'Too many attempts at once for this account. Try again in a moment.', {
      retryAfterS: 2,
    }),
})

/**
 * Runs one guess at the password of an account, in turn with others at it from the same network; `attempt` resolves to undefined for a wrong
 * one. Each counts before its outcome is known, so that parallel ones elsewhere cannot exceed the limit; a right one is given back. So is one
 * that throws, of which nobody learns whether it was right; where it was refused, as for somebody who has left, to the account alone: for
 * the address it counts, because it has cost a look-up, of which there would be no end. An outage is nobody's attempt.
 * Throws `rate_limited`, `unavailable`. Counts per address, so nobody can lock out the account's owner elsewhere, and by what else is told.
 */
export function guess<Right>(
  ctx: CalledContext,
  account: string,
  attempt: () => Promise<Right | undefined>,
  more: readonly Counted[] = [],
): Promise<Right | undefined> {
  const { caller } = ctx
  const key = `${account} ${networkOf(caller.address)}`
  const ofAccount: readonly Counted[] = [[rateLimits.loginAccount, key], ...more]
  const counts = countsByAddress(rateLimits.loginAddress, caller.address, ofAccount)
  return turns.take(sha256Hex(key), { waitMs: WAIT_MS, caller }, async () => {
    await countAllOrRefuse(ctx, counts, TOO_MANY)
    const right = await attempt().catch(async (error: unknown) => {
      await giveBack(ctx, error instanceof Problem ? ofAccount : counts)
      throw error
    })
    if (right !== undefined) await giveBack(ctx, counts)
    return right
  })
}

async function giveBack({ counters }: CalledContext, given: readonly Counted[]): Promise<void> {
  for (const [limit, key] of given) await counters.giveBack(limit, key)
}
