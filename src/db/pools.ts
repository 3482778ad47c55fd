import { setTimeout as after } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { connect, type Database, type DatabaseTarget, databaseOver, type Pooler } from './client.ts'
import type { StatementWatch } from './prepared-client.ts'

const END_S = 5

export type PoolName = 'fast' | 'slow' | 'replica'
/** Connections of a pool at most. */
export const poolSizes: Record<PoolName, number> = { fast: 8, slow: 2, replica: 4 }

export type Pools = AsyncDisposable & {
  /** Short statements, pipelined. */
  db: Database
  /** What may take more than 50 ms: lists of the console, replays, housekeeping. Nobody waits behind it. */
  slow: Database
  /** A copy of the primary, for lists (see replica.ts); `slow` when there is none. */
  replica: Database
}

/** Opens the pools of a process: at most 10 connections to the primary, 4 to a replica. They connect when first used. */
export function openPools(target: DatabaseTarget, { replica, pooler = 'session', watch }: PoolOptions = {}): Pools {
  const fast = { statementMs: 5_000, pipeline: 8, plans: 'generic', pooler } as const
  const clients: Client[] = [
    { pool: 'fast', client: connect(target, { ...fast, max: poolSizes.fast }) },
    // lists with optional filters: what a value leaves out should not be planned for
    {
      pool: 'slow',
      client: connect(target, { name: 'developer-api slow', max: poolSizes.slow, plans: 'custom', pooler }),
    },
  ]
  if (replica) {
    const client = connect(replica, { name: 'developer-api replica', max: poolSizes.replica, plans: 'custom', pooler })
    clients.push({ pool: 'replica', client })
  }
  const [db, slow, copy] = clients.map(({ pool, client }) => databaseOver(client, watch?.(pool)))
  if (!db || !slow) throw new Error('Two clients were opened')
  return {
    db,
    slow,
    replica: copy ?? slow,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map(({ client }) => endClient(client)))
    },
  }
}

type Client = { pool: PoolName; client: Sql }

export type PoolOptions = {
  replica?: DatabaseTarget | undefined
  pooler?: Pooler | undefined
  /** Follows the statements of each pool. */
  watch?: (pool: PoolName) => StatementWatch
}

/** Lets statements in flight finish for 5 s. Resolves in any case: a connection that hangs does not hold up the stop. */
export async function endClient(client: Sql): Promise<void> {
  const stop = new AbortController()
  const limit = after((END_S + 1) * 1000, undefined, { signal: stop.signal }).catch(() => {})
  await Promise.race([client.end({ timeout: END_S }), limit])
  stop.abort()
}
