import type { Sql } from 'postgres'
import { within } from '../time/within.ts'
import { type ConnectOptions, connect, type Database, type DatabaseTarget, databaseOver } from './client.ts'
import { Gate } from './gate.ts'
import type { StatementWatch } from './prepared-client.ts'
import type { Pooler } from './session-settings.ts'

const END_S = 5

export type PoolName = 'fast' | 'slow' | 'replica'
/** The largest number of connections of each pool. */
export const poolSizes: Record<PoolName, number> = { fast: 8, slow: 2, replica: 4 }

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

/** Opens the pools of a process: at most 10 connections to the primary, 4 to a replica. They connect when first used. */
export function openPools(target: DatabaseTarget, { replica, pooler = 'session', watch }: PoolOptions = {}): Pools {
  const open = (pool: PoolName, of: DatabaseTarget, options: ConnectOptions) =>
    openPool(of, { max: poolSizes[pool], statementMs: STATEMENT_MS[pool], pooler, ...options }, watch?.(pool))
  const fast = open('fast', target, { pipeline: 8, plans: 'generic' })
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

function openPool(target: DatabaseTarget, options: ConnectOptions & { statementMs: number }, watch?: StatementWatch) {
  const probe = () => client.unsafe('select 1')
  const gate = new Gate({ silentMs: options.statementMs + SILENT_MS_MORE, probe })
  const client = connect(target, { ...options, onRefused: gate.close })
  const end = () => {
    gate[Symbol.dispose]()
    return endClient(client)
  }
  return { db: databaseOver(client, watch, gate), end }
}

export type PoolOptions = {
  replica?: DatabaseTarget | undefined
  pooler?: Pooler | undefined
  /** Observes the statements of each pool. */
  watch?: (pool: PoolName) => StatementWatch
}

/** Lets statements in flight finish for 5 s. Resolves in any case, so that a connection that hangs does not delay the shutdown. */
export async function endClient(client: Sql): Promise<void> {
  await within((END_S + 1) * 1000, client.end({ timeout: END_S }), () => {})
}
