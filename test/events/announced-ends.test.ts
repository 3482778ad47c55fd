import { eq } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test } from 'vitest'
import * as schema from '../../src/db/schema/index.ts'
import { startSession } from '../../src/domain/access/sessions.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import type { Caller } from '../../src/domain/core/caller.ts'
import { sha256 } from '../../src/domain/core/digest.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { CredentialWatch } from '../../src/domain/events/streams/credential-watch.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { listenToNotifications } from '../../src/process/background/notifications.ts'
import { createTestContext } from '../support/context.ts'
import { caller } from '../support/flows.ts'
import { streamOf } from './support/noted-stream.ts'

const app = await createTestContext()
const { credentials, db, now } = app.context
const bearer = (token: string) => caller({ authorization: `Bearer ${token}` })
const heard = { notify: () => {} }
credentials.onEnd(() => heard.notify())
const next = () =>
  new Promise<void>((resolve) => {
    heard.notify = resolve
  })
const isUp = next()
const listening = listenToNotifications(app.context, { wakeHub: new WakeHub(), target: app.target })
afterAll(async () => {
  await listening[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
await isUp
const watch = new CredentialWatch({ db, credentials })

let user: { id: string }
let client: { id: string; secret: string | undefined }
let count = 0
beforeEach(async () => {
  user = await app.user(`user${count++}`)
  client = await app.client()
})
const usersToken = async () => bearer(await app.token(['chat:read'], { user, client }))
const applicationsToken = async () => bearer(await app.token(['chat:read'], { client }))
const key = async () => {
  const made = mint('key')
  const columns = { name: 'Key', last4: made.slice(-4), scopes: ['chat:read'], createdAt: now() }
  await db
    .insert(schema.apiKeys)
    .values({ id: newId('key', now()), clientId: client.id, hash: sha256(made), ...columns })
  return bearer(made)
}
const session = async () =>
  caller({ session: await startSession({ ...app.context, caller: caller() }, user.id, ['pwd']) })
const { users, clients, accessTokens, apiKeys, grants, loginSessions, applicationMembers } = schema
const theirs = () => eq(loginSessions.userId, user.id)
const ofClient = () => eq(apiKeys.clientId, client.id)

test.each<[string, () => Promise<Caller>, () => Promise<unknown>]>([
  ['a token is revoked', applicationsToken, () => db.update(accessTokens).set({ revokedAt: now() })],
  ['a token is made to end', applicationsToken, () => db.update(accessTokens).set({ expiresAt: now() })],
  ['its grant is revoked', usersToken, () => db.update(grants).set({ revokedAt: now(), revokeReason: 'user' })],
  ['its user is suspended', usersToken, () => db.update(users).set({ disabledAt: now() }).where(eq(users.id, user.id))],
  ['its user is deleted', usersToken, () => db.delete(users).where(eq(users.id, user.id))],
  ['its application is suspended', applicationsToken, () => db.update(clients).set({ disabledAt: now() })],
  ['its application is deleted', usersToken, () => db.delete(clients).where(eq(clients.id, client.id))],
  ['its application loses the scope', usersToken, () => db.update(clients).set({ scopes: ['user:read'] })],
  ['a key is revoked', key, () => db.update(apiKeys).set({ revokedAt: now() }).where(ofClient())],
  [
    'a key loses the scope',
    key,
    () =>
      db
        .update(apiKeys)
        .set({ scopes: ['user:read'] })
        .where(ofClient()),
  ],
  ['a key is deleted', key, () => db.delete(apiKeys).where(ofClient())],
  ['the application of a key is suspended', key, () => db.update(clients).set({ disabledAt: now() })],
  ['a login session is ended', session, () => db.delete(loginSessions).where(theirs())],
  ['the user of a session is suspended', session, () => db.update(users).set({ disabledAt: now() })],
])('a stream ends, by what the database announces, when %s', async (_name, make, end) => {
  const stream = streamOf(watch, await make(), ['chat:read'])
  await watch.check()
  expect(stream.endedFor).toBeUndefined()
  let announced = next()
  await end()
  while (!stream.endedFor) {
    await announced
    announced = next()
    await watch.check()
  }
  expect(stream.endedFor).toBeDefined()
})

test.each<[string, () => Promise<unknown>, () => string]>([
  ['a membership ends', () => db.delete(applicationMembers), () => user.id],
  ['a member has another role', () => db.update(applicationMembers).set({ role: 'viewer' }), () => user.id],
  ['an application has another owner', () => db.update(clients).set({ ownerId: user.id }), () => client.id],
])('every process is told when %s', async (_name, change, what) => {
  const member = { clientId: client.id, userId: user.id, role: 'developer', joinedAt: now() } as const
  await db.insert(applicationMembers).values(member)
  const told: (string | undefined)[] = []
  credentials.onEnd((name) => told.push(name))
  await change()
  await expect.poll(() => told).toContain(what())
})
