import type { Database } from '../../../db/client.ts'
import type { Caller } from '../../core/caller.ts'
import type { Context } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { FairTurns } from '../../core/turns/fair-turns.ts'

/** Each is a statement of hundreds of rows, and the work for them: more at a time would only keep other requests waiting. */
const PLACES = 2
/** As long as a timer can be. */
const FOREVER_MS = 2 ** 31 - 1

const late = new Problem('unavailable', 'Others read on at the moment.')

// Module state, because the connections and the thread that read are the process's
const turnsOver = new WeakMap<Database, FairTurns>()

/**
 * Reads on in a history when it is the turn of whoever reads it: of each holder of streams one read runs in a process, whatever they
 * have open, and those who have read little lately come first. The first read of a request takes no turn: it is one like any other.
 * Undefined where it was not its turn within `waitMs`: then nothing is read. Throws `unavailable` when the caller is gone before.
 */
export async function readOnInTurn<Result>(
  { db, caller }: Pick<Context, 'db'> & { caller?: Caller | undefined },
  holder: string,
  read: () => Promise<Result>,
  waitMs: number = FOREVER_MS,
): Promise<Result | undefined> {
  const found =
    turnsOver.get(db) ?? new FairTurns({ places: PLACES, waitingMax: Number.POSITIVE_INFINITY, refusal: () => late })
  turnsOver.set(db, found)
  return found.take(holder, { waitMs, caller }, read).catch((error: unknown) => {
    if (error !== late) throw error
    return undefined
  })
}
