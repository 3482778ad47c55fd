import { setTimeout as after } from 'node:timers/promises'
import type { Database } from './client.ts'
import { isRetryable, isUnavailable } from './db-error.ts'
import { statement } from './statement.ts'

/** `replica` is the primary's own pool when there is no replica. */
export type Readable = { slow: Database; replica: Database }

const WAIT_MAX_MS = 100
const ASK_AGAIN_MS = 10
/** How long a replica that did not answer is left alone. */
const REST_MS = 1_000

const selectFlushed = statement<[], { lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
const selectReplayed = statement<[lsn: string], { has_it: boolean | null }>(
  'select pg_last_wal_replay_lsn() >= $1::pg_lsn as has_it',
)

const restsUntil = new WeakMap<Database, number>()

/**
 * Reads from the replica what was committed before this was called: it is asked how far it is, so whoever wrote sees what
 * was written, whichever process wrote it. When it lags by more than 100 ms, or is away, the primary answers instead.
 */
export async function readUpToDate<Result>(
  { slow, replica }: Readable,
  read: (db: Database) => Promise<Result>,
): Promise<Result> {
  if (replica === slow || performance.now() < (restsUntil.get(replica) ?? 0)) return read(slow)
  const [flushed] = await selectFlushed(slow)
  try {
    if (flushed && (await hasReplayed(replica, flushed.lsn))) return await read(replica)
  } catch (error) {
    if (!isUnavailable(error) && !isRetryable(error)) throw error // 40001: it replays what the read would have needed
    restsUntil.set(replica, performance.now() + REST_MS)
  }
  return read(slow)
}

/** False for a replica that has become a primary, too: it may have gone another way. */
async function hasReplayed(replica: Database, lsn: string): Promise<boolean> {
  const until = performance.now() + WAIT_MAX_MS
  for (;;) {
    const [replayed] = await selectReplayed(replica, lsn)
    if (replayed?.has_it) return true
    if (replayed?.has_it === null || performance.now() > until) return false
    await after(ASK_AGAIN_MS)
  }
}
