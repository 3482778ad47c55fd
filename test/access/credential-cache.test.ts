import { once } from 'node:events'
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import * as schema from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { CredentialCache } from '../../src/domain/access/credential-cache.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import type { Principal } from '../../src/domain/core/actor.ts'
import type { Context } from '../../src/domain/core/context.ts'
import { sha256 } from '../../src/domain/core/digest.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { listenToNotifications } from '../../src/process/background/notifications.ts'
import { createTestApp } from '../support/app.ts'

const principal: Principal = { kind: 'application', clientId: 'cli', scopes: [] }

describe('a credential that was found good', () => {
  const finding = (livesMs = 10_000) => vi.fn(async () => ({ principal, livesMs }))

  test('is looked up once while changes are heard of, and every time when they are not', async () => {
    const cache = new CredentialCache()
    const find = finding()
    for (const heard of [false, true, true, true]) {
      if (heard && find.mock.calls.length === 1) cache.trust()
      expect(await cache.principalOf('token', find)).toBe(principal)
    }
    expect(find).toHaveBeenCalledTimes(2)
    cache.distrust()
    await cache.principalOf('token', find)
    await cache.principalOf('token', find)
    expect(find).toHaveBeenCalledTimes(4)
  })

  test('is forgotten at every change, also at one that comes while it is looked up', async () => {
    const cache = new CredentialCache()
    cache.trust()
    const find = finding()
    const during = vi.fn(async () => {
      cache.forget()
      return { principal, livesMs: 10_000 }
    })
    await cache.principalOf('token', during)
    await cache.principalOf('token', find)
    cache.forget()
    await cache.principalOf('token', find)
    expect(find).toHaveBeenCalledTimes(2)
  })

  test('lives no longer than itself, and what was not found is looked up again', async () => {
    const cache = new CredentialCache()
    cache.trust()
    const dying = finding(0)
    await cache.principalOf('dying', dying)
    await cache.principalOf('dying', dying)
    expect(dying).toHaveBeenCalledTimes(2)
    const nobody = vi.fn(async () => undefined)
    await cache.principalOf('nobody', nobody)
    await cache.principalOf('nobody', nobody)
    expect(nobody).toHaveBeenCalledTimes(2)
  })
})

describe('what ends a credential is heard by every process', async () => {
  const app = await createTestApp()
  const { db, now } = app.context
  const other = otherProcess(app.context)
  const following = listenToNotifications(other.context, { waker: new WakeHub(), target: app.target })
  afterAll(async () => {
    await following[Symbol.asyncDispose]()
    await app[Symbol.asyncDispose]()
  })
  await other.heard('trust')

  const user = await app.user('ada')
  const client = await app.client()
  const set = (table: typeof schema.users | typeof schema.clients, id: string, disabledAt: Date | null) =>
    db.update(table).set({ disabledAt }).where(eq(table.id, id))

  async function apiKey() {
    const key = mint('key')
    const columns = {
      clientId: client.id,
      name: 'Key',
      last4: key.slice(-4),
      scopes: ['channel:read'],
      createdAt: now(),
    }
    await db.insert(schema.apiKeys).values({ id: newId('key', now()), hash: sha256(key), ...columns })
    return key
  }

  test.each<[string, () => Promise<string>, (credential: string) => Promise<unknown>]>([
    ['a token is revoked', () => app.token(['channel:read']), (token) => revoke(token)],
    ['its grant is revoked', () => app.token(['channel:read'], { user }), () => endGrants()],
    ['its user is disabled', () => app.token(['channel:read'], { user }), () => set(schema.users, user.id, now())],
    ['its application is disabled', () => app.token([], { client }), () => set(schema.clients, client.id, now())],
    ['a key is revoked', apiKey, () => db.update(schema.apiKeys).set({ revokedAt: now() })],
    ['a key is deleted', apiKey, () => db.delete(schema.apiKeys)],
  ])('%s', async (_name, make, end) => {
    await set(schema.users, user.id, null)
    await set(schema.clients, client.id, null)
    const credential = await make()
    expect(await authenticate(other.context, credential)).toBeDefined()
    const heard = other.heard('forget')
    await end(credential)
    await heard
    await expect(authenticate(other.context, credential)).rejects.toMatchObject({ code: 'invalid_token' })
  })

  const revoke = (token: string) =>
    db
      .update(schema.accessTokens)
      .set({ revokedAt: now() })
      .where(eq(schema.accessTokens.hash, sha256(token)))
  const endGrants = () => db.update(schema.grants).set({ revokedAt: now(), revokeReason: 'user' })
})

test('the process that revokes has forgotten before it answers', async () => {
  const credentials = new CredentialCache()
  credentials.trust() // and nothing is ever heard: what is forgotten is forgotten by the verb itself
  await using app = await createTestApp({ credentials })
  const client = await app.client()
  const token = await app.token(['channel:read'], { client })
  const status = async () => (await app.request('GET /v1/channels/', { token })).status
  expect(await status()).toBe(200)
  const body = { token, client_id: client.id, client_secret: client.secret }
  await app.request('POST /oauth/revoke', { body })
  expect(await status()).toBe(401)
})

/** A context as another process has it, and a promise of what its cache is told next. */
function otherProcess(context: Context) {
  const told = new EventTarget()
  const cache = new CredentialCache()
  const tell = (what: string, then: () => void) => () => {
    then()
    told.dispatchEvent(new Event(what))
  }
  const credentials = Object.assign(cache, {
    trust: tell('trust', () => CredentialCache.prototype.trust.call(cache)),
    forget: tell('forget', cache.forget),
  })
  return { context: { ...context, credentials }, heard: (what: string) => once(told, what) }
}
