import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { readConfig } from '../../src/config.ts'
import { startEmbedded } from '../../src/db/embedded/supervisor.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { clients, users } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { openContext } from '../../src/process/context.ts'
import { Disposables } from '../../src/process/disposables.ts'
import type { ReceiversOrder, ReceiversReady } from './webhook-receivers.ts'

export type LoadStage = Awaited<ReturnType<typeof createLoadStage>>

/** A database as `npm start` has it, in a folder that goes again, and receivers in another process. */
export async function createLoadStage(order: ReceiversOrder) {
  const opened = new Disposables()
  const dataDir = mkdtempSync(join(tmpdir(), 'developer-api-load-'))
  opened.defer(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const server = opened.use(await startEmbedded({ dataDir }))
  await migrateDatabase(server.target)
  const secretKey = randomBytes(32).toString('base64url')
  const config = readConfig({ DATABASE_URL: 'postgres://x/y', SECRET_KEYS: secretKey, WEBHOOK_ALLOW_PRIVATE: 'on' })
  const context = await openContext(config, { target: server.target, disposables: opened, wake: () => {} })
  const receivers = await startReceivers(order, opened)

  /** An application of its own with one subscription to every channel. */
  async function subscribe(port: number, type: 'livestream.started' | 'livestream.ended'): Promise<string> {
    const at = context.now()
    const clientId = newId('client', at)
    const fixed = { confidential: true, grantTypes: ['client_credentials'], scopes: [], authMethod: 'secret' } as const
    await context.db.insert(clients).values({
      ...fixed,
      grantTypes: [...fixed.grantTypes],
      scopes: [],
      id: clientId,
      name: 'Load',
      createdAt: at,
      updatedAt: at,
    })
    const principal = { kind: 'application', clientId, scopes: [] } as const
    const url = `http://127.0.0.1:${port}/hook`
    return (await createSubscription({ ...context, principal }, { url, event_types: [type] })).id
  }

  async function channel(username: string) {
    const at = context.now()
    const id = newId('user', at)
    await context.db
      .insert(users)
      .values({ id, username, email: `${username}@example.com`, createdAt: at, updatedAt: at })
    return { id, username }
  }

  return {
    context,
    receivers,
    subscribe,
    channel,
    run: (text: string) => context.slow.execute(sql.raw(text)),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

async function startReceivers(order: ReceiversOrder, opened: Disposables): Promise<ReceiversReady> {
  const script = fileURLToPath(new URL('./webhook-receivers.ts', import.meta.url))
  const child = fork(script, [JSON.stringify(order)], { execArgv: ['--import', 'tsx'] })
  opened.defer(() => child.kill('SIGKILL'))
  const [ready] = (await once(child, 'message')) as [ReceiversReady]
  return ready
}
