import { setTimeout as after } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { connect, type Database, databaseOver, type Pooler, type Target } from './client.ts'

const END_S = 5

export type Pools = AsyncDisposable & {
  /** Short statements, pipelined. */
  db: Database
  /** What may take more than 50 ms: lists of the console, replays, housekeeping. Nobody waits behind it. */
  slow: Database
  /** Reads that can bear data that is seconds old; `db` when there is no replica. */
  replica: Database
}

/** Opens the pools of a process: at most 10 connections to the primary, 4 to a replica. They connect when first used. */
export function openPools(target: Target, { replica, pooler = 'session' }: PoolOptions = {}): Pools {
  const fast = { statementMs: 5_000, pipeline: 8, plans: 'generic', pooler } as const
  const clients = [
    connect(target, { ...fast, max: 8 }),
    // lists with optional filters: what a value leaves out should not be planned for
    connect(target, { name: 'developer-api slow', max: 2, plans: 'custom', pooler }),
    ...(replica ? [connect(replica, { ...fast, name: 'developer-api replica', max: 4 })] : []),
  ]
  const [db, slow, copy] = clients.map(databaseOver)
  if (!db || !slow) throw new Error('Two clients were opened')
  return {
    db,
    slow,
    replica: copy ?? db,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map(endClient))
    },
  }
}

export type PoolOptions = { replica?: Target | undefined; pooler?: Pooler | undefined }

/** Lets statements in flight finish for 5 s. Resolves in any case: a connection that hangs does not hold up the stop. */
export async function endClient(client: Sql): Promise<void> {
  const stop = new AbortController()
  const limit = after((END_S + 1) * 1000, undefined, { signal: stop.signal }).catch(() => {})
  await Promise.race([client.end({ timeout: END_S }), limit])
  stop.abort()
}
