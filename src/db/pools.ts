import type { Sql } from 'postgres'
import { within } from '../time/within.ts'
import { connect, type Database, type DatabaseTarget, databaseOver, type Pooler } from './client.ts'
import type { StatementWatch } from './prepared-client.ts'

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

/** Opens the pools of a process: at most 10 connections to the primary, 4 to a replica. They connect when first used. */
export function openPools(target: DatabaseTarget, { replica, pooler = 'session', watch }: PoolOptions = {}): Pools {
  const fast = { statementMs: 5_000, pipeline: 8, plans: 'generic', pooler } as const
  const clients: Client[] = [
    { pool: 'fast', client: connect(target, { ...fast, max: poolSizes.fast }) },
    // custom plans: lists with optional filters should be planned for the filters that are given
    {
      pool: 'slow',
      client: connect(target, { name: 'developer-api slow', max: poolSizes.slow, plans: 'custom', pooler }),
    },
  ]
  if (replica) {
    const client = connect(replica, { name: 'developer-api replica', max: poolSizes.replica, plans: 'custom', pooler })
    clients.push({ pool: 'replica', client })
  }
  const [db, slow, readOnly] = clients.map(({ pool, client }) => databaseOver(client, watch?.(pool)))
  if (!db || !slow) throw new Error('Expected two clients')
  return {
    db,
    slow,
    replica: readOnly ?? slow,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map(({ client }) => endClient(client)))
    },
  }
}

type Client = { pool: PoolName; client: Sql }

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
