import { statement } from '../../../db/statement.ts'
import { within } from '../../../time/within.ts'
import type { Context } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'

/** How long a replay waits for another one of its owner. */
export const TURN_MS = 5_000

/** The replays that run in this process, by owner. Module state, because the connections for slow statements are the process's. */
const running = new Map<string, Promise<unknown>>()

const selectOwner = statement<[clientId: string], { owner_id: string | null }>(
  'select owner_id from clients where id = $1',
)

/**
 * Does the work of a replay when no other one of the owner of this application runs in this process: its statements may take
 * seconds, and there are few connections for them. Throws `rate_limited` after `waitMs`.
 */
export async function replayInTurn<Result>(
  { db }: Context,
  clientId: string,
  waitMs: number,
  replay: () => Promise<Result>,
): Promise<Result> {
  const [client] = await selectOwner(db, clientId)
  const owner = client?.owner_id ?? clientId
  const until = performance.now() + waitMs
  for (let other = running.get(owner); other; other = running.get(owner)) {
    await within(Math.max(until - performance.now(), 0), other, refuse)
  }
  const ended = replay().finally(() => running.delete(owner))
  running.set(
    owner,
    ended.catch(() => {}),
  )
  return ended
}

function refuse(): never {
  throw new Problem('rate_limited', 'Another replay of yours is running: one at a time.', { retryAfterS: 1 })
}
