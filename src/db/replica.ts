import { setTimeout as after } from 'node:timers/promises'
import { Circuit } from '../time/circuit.ts'
import { within } from '../time/within.ts'
import type { Database } from './client.ts'
import { isRetryable, isUnavailable } from './db-error.ts'
import { statement } from './statement.ts'

/** Without a replica, `replica` is the same pool as `slow`. */
export type Readable = { slow: Database; replica: Database }

const WAIT_MAX_MS = 100
const POLL_MS = 10
/** A read that takes longer is made on the primary: a replica may freeze in the middle of one. */
const READ_MAX_MS = 1_000

const selectFlushed = statement<[], { lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
const selectReplayed = statement<[lsn: string], { has_it: boolean | null }>(
  'select pg_last_wal_replay_lsn() >= $1::pg_lsn as has_it',
)

const circuits = new WeakMap<Database, Circuit>()

/**
 * Reads from the replica, once it has replayed everything that was committed before this call, so that a caller sees earlier
 * writes of any process. If it lags by more than 100 ms, is frozen or unavailable, the primary answers instead; the replica is
 * then left alone, but for one caller a second who waits these 100 ms for it.
 */
export async function readUpToDate<Result>(
  { slow, replica }: Readable,
  read: (db: Database) => Promise<Result>,
): Promise<Result> {
  if (replica === slow || !circuitOf(replica).mayAsk()) return read(slow)
  const [flushed] = await selectFlushed(slow)
  const found = flushed && (await readFrom(replica, flushed.lsn, read))
  return found ? found.result : read(slow)
}

/** Undefined when the replica cannot answer in time. */
async function readFrom<Result>(replica: Database, lsn: string, read: (db: Database) => Promise<Result>) {
  const circuit = circuitOf(replica)
  try {
    if (await within(WAIT_MAX_MS, hasReplayed(replica, lsn), () => false)) {
      const found = await within(READ_MAX_MS, wrapped(read(replica)), () => undefined)
      if (found) circuit.close()
      else circuit.open()
      return found
    }
  } catch (error) {
    if (!isUnavailable(error) && !isRetryable(error)) throw error // 40001: replay removed rows that the read needed
  }
  circuit.open()
  return undefined
}

const wrapped = async <Result>(work: Promise<Result>) => ({ result: await work })

function circuitOf(replica: Database): Circuit {
  const known = circuits.get(replica)
  if (known) return known
  const circuit = new Circuit()
  circuits.set(replica, circuit)
  return circuit
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
