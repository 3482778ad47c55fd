import type { Sql } from 'postgres'
import { within } from '../time/within.ts'
import { blockedTexts } from './blocked-texts.ts'
import { Bulkhead } from './bulkhead.ts'
import {
  type ConnectOptions,
  connect,
  type Database,
  type DatabaseTarget,
  databaseOver,
  type PatchedSql,
} from './client.ts'
import { Gate } from './gate.ts'
import type { StatementGuards, StatementWatch } from './prepared-client.ts'
import type { Pooler } from './session-settings.ts'

const END_S = 5

export type PoolName = 'fast' | 'slow' | 'replica'
/** The largest number of connections of each pool. */
export const poolSizes: Record<PoolName, number> = { fast: 8, slow: 3, replica: 4 }

export type Pools = AsyncDisposable & {
  /** For short statements, which are pipelined. */
  db: Database
  /** For what may take more than 50 ms: lists of the console, replays, maintenance. Not pipelined. */
  slow: Database
  /** The replica, for lists (see replica.ts); `slow` where there is none. */
  replica: Database
}

const STATEMENT_MS: Record<PoolName, number> = { fast: 5_000, slow: 10_000, replica: 10_000 }
/** How much longer than a statement may take a pool may be silent. */
const SILENT_MS_MORE = 1_000

/** How many of the connections statements may hold that take long, while others wait. */
const HELD_SHARE = poolSizes.fast / 2

/**
 * Opens the pools of a process: at most 11 connections to the primary, a 12th that asks how it is when others are held for
 * long, and 4 to a replica. They connect when first used.
 */
export function openPools(target: DatabaseTarget, given: PoolOptions = {}): Pools {
  const { replica, pooler = 'session', watch, onFailure, onBulkhead } = given
  const open = (pool: PoolName, of: DatabaseTarget, options: ConnectOptions, guard?: Guard) => {
    const settings = { max: poolSizes[pool], statementMs: STATEMENT_MS[pool], pooler, ...options }
    return openPool(of, settings, { watch: watch?.(pool), onFailure: (reason) => onFailure?.(pool, reason), guard })
  }
  const fast = open('fast', target, { pipeline: 8, plans: 'generic' }, (client) => {
    const asking = connect(target, { name: 'developer-api probe', max: 1, statementMs: STATEMENT_MS.fast, pooler })
    const probe = () => blockedTexts(asking)
    const bulkhead = new Bulkhead({ pool: client, share: HELD_SHARE, probe, onChange: onBulkhead })
    return { bulkhead, end: () => endClient(asking) }
  })
  // custom plans: lists with optional filters should be planned for the filters that are given
  const slow = open('slow', target, { name: 'developer-api slow', plans: 'custom' })
  const readOnly =
    replica === undefined ? undefined : open('replica', replica, { name: 'developer-api replica', plans: 'custom' })
  const all = [fast, slow, ...(readOnly ? [readOnly] : [])]
  return {
    db: fast.db,
    slow: slow.db,
    replica: (readOnly ?? slow).db,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(all.map((pool) => pool.end()))
    },
  }
}

type Guard = (client: PatchedSql) => { bulkhead: Bulkhead; end: () => Promise<void> }
type PoolSettings = ConnectOptions & { statementMs: number }
type PoolParts = Pick<StatementGuards, 'watch'> & { onFailure: (reason: Error) => void; guard: Guard | undefined }

function openPool(target: DatabaseTarget, options: PoolSettings, { watch, onFailure, guard }: PoolParts) {
  const client = connect(target, { ...options, onRefused: (reason) => gate.close(reason) })
  const gate = new Gate({
    silentMs: options.statementMs + SILENT_MS_MORE,
    pulse: () => ({ ...client.pulse(), isQueued: client.queued.some(() => true) }),
    abandon: client.abandon,
    probe: () => client.unsafe('select 1'),
    onAway: onFailure,
  })
  const guarded = guard?.(client)
  const end = async () => {
    gate[Symbol.dispose]()
    guarded?.bulkhead[Symbol.dispose]()
    await Promise.all([endClient(client), guarded?.end()])
  }
  return { db: databaseOver(client, { watch, onFailure, gate, bulkhead: guarded?.bulkhead }), end }
}

export type PoolOptions = {
  replica?: DatabaseTarget | undefined
  pooler?: Pooler | undefined
  /** Observes the statements of each pool. */
  watch?: (pool: PoolName) => StatementWatch
  /** Called when the database of a pool is away, once each time, and when a transaction could not begin or end: whoever watches statements sees neither. */
  onFailure?: (pool: PoolName, reason: Error) => void
  /** Called with the texts of the statements of which no more are sent, because they hold their share of the pool `fast`; with none when that has ended. */
  onBulkhead?: (texts: readonly string[]) => void
}

/** Lets statements in flight finish for 5 s. Resolves in any case, so that a connection that hangs does not delay the shutdown. */
export async function endClient(client: Sql): Promise<void> {
  await within((END_S + 1) * 1000, client.end({ timeout: END_S }), () => {})
}
