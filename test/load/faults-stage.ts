import { randomBytes } from 'node:crypto'
import { connect } from '../../src/db/client.ts'
import { startEmbedded } from '../../src/db/embedded/supervisor.ts'
import { endClient } from '../../src/db/pools.ts'
import { Disposables } from '../../src/process/disposables.ts'
import { createDatabaseProxy, urlOf } from '../support/database-proxy.ts'
import { demoOf, startServiceOn } from './measured.ts'

/**
 * One process that serves, over a database, a reading copy of it and (where `redisUrl` is given) a Redis that can each be
 * taken away. The copy is the database itself by another way: what is tried is the way, not replication.
 */
export async function createFaultStage(folder: string, redisUrl: string | undefined) {
  const opened = new Disposables()
  const server = opened.use(await startEmbedded({ dataDir: folder }))
  const database = opened.use(await createDatabaseProxy(server.target))
  const replica = opened.use(await createDatabaseProxy(server.target))
  const redis = redisUrl === undefined ? undefined : opened.use(await createDatabaseProxy(redisUrl))
  const admin = connect({ ...server.admin, database: 'app' }, { max: 1, statementMs: 0 })
  opened.defer(() => endClient(admin))
  const service = opened.use(
    await startServiceOn(folder, {
      DATABASE_URL: urlOf(database.target),
      DATABASE_REPLICA_URL: urlOf(replica.target),
      SECRET_KEYS: randomBytes(32).toString('base64url'),
      DEMO_DATA: 'on',
      RATE_LIMITS: 'on',
      LOG_LEVEL: 'fatal',
      ...(redis && { REDIS_URL: urlOf(redis.target) }),
    }),
  )
  return {
    base: service.base,
    demo: demoOf(folder),
    database,
    replica,
    redis,
    admin,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
