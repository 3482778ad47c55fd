import { setTimeout as after } from 'node:timers/promises'
import type { Database } from './client.ts'
import { isRetryable, isUnavailable } from './db-error.ts'
import { statement } from './statement.ts'

/** Without a replica, `replica` is the same pool as `slow`. */
export type Readable = { slow: Database; replica: Database }

const WAIT_MAX_MS = 100
const POLL_MS = 10
/** How long a replica is not used after it did not answer. */
const UNUSED_MS = 1_000

const selectFlushed = statement<[], { lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
const selectReplayed = statement<[lsn: string], { has_it: boolean | null }>(
  'select pg_last_wal_replay_lsn() >= $1::pg_lsn as has_it',
)

const unusedUntil = new WeakMap<Database, number>()

/**
 * Reads from the replica, once it has replayed everything that was committed before this call, so that a caller sees earlier
 * writes of any process. If the replica lags by more than 100 ms or is unavailable, the primary answers instead.
 */
export async function readUpToDate<Result>(
  { slow, replica }: Readable,
  read: (db: Database) => Promise<Result>,
): Promise<Result> {
  if (replica === slow || performance.now() < (unusedUntil.get(replica) ?? 0)) return read(slow)
  const [flushed] = await selectFlushed(slow)
  try {
    if (flushed && (await hasReplayed(replica, flushed.lsn))) return await read(replica)
  } catch (error) {
    if (!isUnavailable(error) && !isRetryable(error)) throw error // 40001: replay removed rows that the read needed
    unusedUntil.set(replica, performance.now() + UNUSED_MS)
  }
  return read(slow)
}

/** Also false for a replica that was promoted to a primary: its history may have diverged. */
async function hasReplayed(replica: Database, lsn: string): Promise<boolean> {
  const until = performance.now() + WAIT_MAX_MS
  for (;;) {
    const [replayed] = await selectReplayed(replica, lsn)
    if (replayed?.has_it) return true
    if (replayed?.has_it === null || performance.now() > until) return false
    await after(POLL_MS)
  }
}
