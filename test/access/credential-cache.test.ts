import { once } from 'node:events'
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import * as schema from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { authenticateOverlay } from '../../src/domain/access/authenticate-overlay.ts'
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

  const user: Principal = { kind: 'user', userId: 'usr', username: 'ada', clientId: 'cli', scopes: [] }
  const digest = sha256('token').toString('base64')

  test.each([digest, 'cli', 'usr', 'grt', ''])(
    'is forgotten when what it depends on ends (%j), also while it is looked up',
    async (what) => {
      const cache = new CredentialCache()
      cache.trust()
      const find = vi.fn(async () => ({ principal: user, livesMs: 10_000, grantId: 'grt' }))
      const during = async () => {
        cache.end(what)
        return find()
      }
      await cache.principalOf('token', during)
      await cache.principalOf('token', find)
      cache.end(what)
      await cache.principalOf('token', find)
      await cache.principalOf('token', find)
      expect(find).toHaveBeenCalledTimes(3)
    },
  )

  test('is remembered whatever else ends, up to ten thousand of it', async () => {
    const cache = new CredentialCache()
    cache.trust()
    const find = finding()
    await cache.principalOf('token', find)
    for (let n = 0; n < 10_000; n++) cache.end(`grt_${n}`)
    await cache.principalOf('token', find)
    expect(find).toHaveBeenCalledTimes(1)
    cache.end('one more than is remembered')
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
  const following = listenToNotifications(other.context, { wakeHub: new WakeHub(), target: app.target })
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

  async function overlayKey() {
    const key = mint('overlay')
    const columns = { channelId: user.id, name: 'Overlay', last4: key.slice(-4), eventTypes: ['chat.message.sent'] }
    const id = newId('overlay', now())
    await db.insert(schema.overlayKeys).values({ id, hash: sha256(key), createdAt: now(), ...columns })
    return key
  }

  type Case = [string, () => Promise<string>, (credential: string) => Promise<unknown>, typeof look?]
  const look: (ctx: Context, credential: string) => Promise<unknown> = authenticate
  test.each<Case>([
    ['a token is revoked', () => app.token(['channel:read']), (token) => revoke(token)],
    ['its grant is revoked', () => app.token(['channel:read'], { user }), () => endGrants()],
    ['its user is disabled', () => app.token(['channel:read'], { user }), () => set(schema.users, user.id, now())],
    ['its application is disabled', () => app.token([], { client }), () => set(schema.clients, client.id, now())],
    ['a key is revoked', apiKey, () => db.update(schema.apiKeys).set({ revokedAt: now() })],
    ['a key is deleted', apiKey, () => db.delete(schema.apiKeys)],
    ['an overlay key is rolled', overlayKey, () => roll(), authenticateOverlay],
    ['an overlay key is deleted', overlayKey, () => db.delete(schema.overlayKeys), authenticateOverlay],
    ['its channel is closed', overlayKey, () => set(schema.users, user.id, now()), authenticateOverlay],
  ])('%s', async (_name, make, end, find = look) => {
    await set(schema.users, user.id, null)
    await set(schema.clients, client.id, null)
    const credential = await make()
    expect(await find(other.context, credential)).toBeDefined()
    await end(credential)
    // sooner than it would be looked up anyway; the next that is heard may still be of the lines above
    const isRefused = () => expect(find(other.context, credential)).rejects.toMatchObject({ code: 'invalid_token' })
    await vi.waitFor(isRefused, { timeout: 4_000 })
  })

  test('and of a credential alone: others are remembered', async () => {
    await set(schema.clients, client.id, null)
    const [ended, kept] = [await app.token(['channel:read'], { user }), await app.token(['channel:read'], { client })]
    await authenticate(other.context, kept)
    const lookUp = vi.fn(async () => undefined)
    const heard = other.heard('end')
    await revoke(ended)
    await heard
    await other.context.credentials.principalOf(kept, lookUp)
    expect(lookUp).not.toHaveBeenCalled()
  })

  const revoke = (token: string) =>
    db
      .update(schema.accessTokens)
      .set({ revokedAt: now() })
      .where(eq(schema.accessTokens.hash, sha256(token)))
  const roll = () => db.update(schema.overlayKeys).set({ hash: sha256(mint('overlay')) })
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
  const ended: unknown[] = []
  credentials.onEnd((what) => ended.push(what))
  for (const garbage of ['garbage', mint('access'), mint('refresh')]) {
    await app.request('POST /oauth/revoke', { body: { ...body, token: garbage } })
  }
  expect(ended, 'garbage ends nothing').toEqual([])
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
  const { end } = cache
  const credentials = Object.assign(cache, {
    trust: tell('trust', () => CredentialCache.prototype.trust.call(cache)),
    end: (what: string) => tell('end', () => end(what))(),
  })
  return { context: { ...context, credentials }, heard: (what: string) => once(told, what) }
}
