import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import * as schema from '../../src/db/schema/index.ts'
import { startSession } from '../../src/domain/access/sessions.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import type { Caller } from '../../src/domain/core/caller.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { sha256 } from '../../src/domain/core/digest.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { CredentialWatch } from '../../src/domain/events/streams/credential-watch.ts'
import { createTestContext } from '../support/context.ts'
import { countedDatabase } from '../support/counted-database.ts'
import { caller } from '../support/flows.ts'
import { streamOf } from './support/noted-stream.ts'

const app = await createTestContext()
const { credentials, db, now } = app.context
const counted = countedDatabase(app.target)
afterAll(async () => {
  await counted[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
const bearer = (token: string) => caller({ authorization: `Bearer ${token}` })
const announcedOf = (token: string) => sha256(token).toString('base64')
const revoke = (token: string) =>
  db
    .update(schema.accessTokens)
    .set({ revokedAt: now() })
    .where(eq(schema.accessTokens.hash, sha256(token)))

/** How many credentials each statement of a check asked about. */
async function checkedBy(watch: CredentialWatch) {
  counted.sent.length = 0
  await watch.check()
  return counted.sent.map(({ values }) => (values[0] as string[]).length)
}

describe('of a thousand streams', async () => {
  const tokens = Array.from({ length: 1_000 }, () => mint('access'))
  const { id: clientId } = await app.client()
  await db
    .insert(schema.accessTokens)
    .values(tokens.map((token) => ({ hash: sha256(token), clientId, scopes: [], expiresAt: inMs(3_600_000) })))
  const watch = new CredentialWatch({ db: counted.db, credentials })
  credentials.trust()
  const streams = tokens.map((token) => streamOf(watch, bearer(token)))
  const [first = ''] = tokens
  const checked = () => checkedBy(watch)
  const ended = () => streams.filter(({ endedFor }) => endedFor).length

  test('all are asked about when they begin, by one statement, and then none', async () => {
    expect([await checked(), await checked(), await checked(), ended()]).toEqual([[1_000], [], [], 0])
  })

  test('only that one is asked about whose credential has ended, by one statement, and ends', async () => {
    await revoke(first)
    credentials.end(announcedOf(first))
    for (let n = 0; n < 100; n++) credentials.end(announcedOf(`of somebody else ${n}`))
    expect([await checked(), await checked(), ended()]).toEqual([[1], [], 1])
    expect(streams[0]?.endedFor).toBe('invalid_token')
  })

  test('an application, a user and a grant end all that depend on them, found without asking about others', async () => {
    const user = await app.user('bob')
    const token = await app.token(['chat:read'], { user })
    const other = streamOf(watch, bearer(token))
    await watch.check()
    const grants = await db.select().from(schema.grants).where(eq(schema.grants.userId, user.id))
    for (const name of [user.id, grants[0]?.id ?? '']) {
      credentials.end(name)
      expect(await checked(), name).toEqual([1])
    }
    credentials.end(clientId)
    expect([await checked(), other.endedFor]).toEqual([[999], undefined])
    await revoke(token)
    credentials.end(announcedOf(token))
    await watch.check()
    expect(other.endedFor).toBe('invalid_token')
    credentials.end(user.id)
    expect(await checked(), 'what has ended is forgotten').toEqual([])
  })
})

test('who is revoked while they are asked about is asked about again', async () => {
  credentials.trust()
  const user = await app.user('cyd')
  const token = await app.token(['chat:read'], { user })
  const watch = new CredentialWatch({ db: counted.db, credentials })
  const stream = streamOf(watch, bearer(token))
  const asking = watch.check() // what the stream depends on is not known yet
  await new Promise(setImmediate)
  credentials.end(user.id)
  await asking
  await revoke(token)
  await watch.check()
  expect(stream.endedFor).toBe('invalid_token')
})

test('who could not be asked about is asked about again', async () => {
  credentials.trust()
  const token = await app.token(['chat:read'])
  const watch = new CredentialWatch({ db: app.context.db, credentials })
  const stream = streamOf(watch, bearer(token))
  await watch.check()
  await revoke(token)
  credentials.end(announcedOf(token))
  await db.execute(sql`alter table access_tokens rename to access_tokens_away`)
  await expect(watch.check()).rejects.toThrow()
  await db.execute(sql`alter table access_tokens_away rename to access_tokens`)
  await watch.check()
  expect(stream.endedFor).toBe('invalid_token')
})

test('all are asked about while nothing is announced, and once after that, at most every five seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  credentials.trust()
  const watch = new CredentialWatch({ db: counted.db, credentials })
  for (let n = 0; n < 3; n++) streamOf(watch, bearer(await app.token(['chat:read'])))
  const checked = () => checkedBy(watch)
  expect([await checked(), await checked()]).toEqual([[3], []])
  credentials.distrust()
  expect([await checked(), await checked()]).toEqual([[3], []])
  vi.advanceTimersByTime(4_999)
  expect(await checked()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(await checked()).toEqual([3])
  credentials.trust()
  expect(await checked()).toEqual([])
  vi.advanceTimersByTime(5_000)
  expect([await checked(), await checked()]).toEqual([[3], []])
  vi.advanceTimersByTime(60_000)
  expect(await checked()).toEqual([])
  vi.useRealTimers()
})

describe('a credential is asked about when its time has come', async () => {
  credentials.trust()
  const user = await app.user('dan')
  const client = await app.client()
  const { accessTokens, apiKeys, loginSessions } = schema
  const token = async () => {
    const made = await app.token(['chat:read'], { user, client })
    await db.update(accessTokens).set({ expiresAt: inMs(60_000) })
    return bearer(made)
  }
  const key = async () => {
    const made = mint('key')
    const columns = { name: 'Key', last4: made.slice(-4), scopes: ['chat:read'], createdAt: now() }
    await db
      .insert(apiKeys)
      .values({ id: newId('key', now()), clientId: client.id, hash: sha256(made), expiresAt: inMs(60_000), ...columns })
    return bearer(made)
  }
  const session = (columns: object) => async () => {
    const secret = await startSession({ ...app.context, caller: caller() }, user.id, ['pwd'])
    await db.update(loginSessions).set(columns)
    return caller({ session: secret })
  }

  test.each<[string, () => Promise<Caller>]>([
    ['a token', token],
    ['a key', key],
    ['a session', session({ expiresAt: inMs(60_000) })],
    ['a session that nobody uses', session({ lastSeenAt: inMs(60_000 - 12 * 3_600_000) })],
  ])('%s', async (_name, make) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const watch = new CredentialWatch({ db: counted.db, credentials })
    const stream = streamOf(watch, await make())
    expect(await checkedBy(watch)).toEqual([1])
    vi.advanceTimersByTime(55_000)
    expect(await checkedBy(watch)).toEqual([])
    for (const table of [accessTokens, apiKeys, loginSessions]) await db.update(table).set({ expiresAt: inMs(-1) })
    vi.advanceTimersByTime(5_001) // what is stored is rounded to a millisecond
    expect([await checkedBy(watch), stream.endedFor]).toEqual([[1], 'invalid_token'])
    vi.useRealTimers()
  })
})
