import { eq, sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { connect, databaseOver } from '../../src/db/client.ts'
import {
  isConnectionLost,
  isDatabaseAway,
  isInvalidText,
  isRetryable,
  isUnavailable,
  ofDatabase,
  violatedConstraint,
} from '../../src/db/db-error.ts'
import { endClient, openPools } from '../../src/db/pools.ts'
import { bans, livestreams, users } from '../../src/db/schema/index.ts'
import { statement } from '../../src/db/statement.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { db, slow } = database
const selectOne = statement<[], { one: number }>('select 1 as one')
const now = new Date()
const person = (name: string) => ({
  id: `usr_${name}`,
  username: name,
  email: `${name}@example.com`,
  createdAt: now,
  updatedAt: now,
})
const failureOf = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  )

test('a violated constraint is known by its name, through whatever wraps the failure', async () => {
  await db.insert(users).values([person('ann'), person('bob')])
  const constraintOf = async (work: PromiseLike<unknown>) => violatedConstraint(await failureOf(work))
  const twin = { ...person('ann'), id: 'usr_other' }
  expect(await constraintOf(db.insert(users).values(person('ann')))).toBe('users_pkey')
  expect(await constraintOf(db.insert(users).values({ ...twin, email: 'x@example.com' }))).toBe('users_username_unique')
  expect(await constraintOf(db.insert(users).values({ ...twin, username: 'A' }))).toBe('users_username_shape')
  const ban = { channelId: 'usr_ann', userId: 'usr_bob', createdAt: now }
  await db.insert(bans).values({ ...ban, id: 'ban_1' })
  expect(await constraintOf(db.insert(bans).values({ ...ban, id: 'ban_2' }))).toBe('bans_channel_user_unique')
  expect(await constraintOf(db.insert(bans).values({ ...ban, id: 'ban_3', userId: 'usr_ann' }))).toBe('bans_not_self')
  const stream = { channelId: 'usr_ann', startedAt: now, updatedAt: now }
  await db.insert(livestreams).values({ ...stream, id: 'str_1' })
  expect(await constraintOf(db.insert(livestreams).values({ ...stream, id: 'str_2' }))).toBe('livestreams_one_live')
  const unknown = { ...stream, id: 'str_3', channelId: 'usr_bob', categorySlug: 'none' }
  expect(await constraintOf(db.insert(livestreams).values(unknown))).toBe('livestreams_category_exists')
  expect(violatedConstraint(new Error('something else'))).toBeUndefined()
})

test('a deadlock is retryable', async () => {
  const pools = openPools(database.target)
  const touch = (tx: typeof db, name: string) => tx.update(users).set({ bio: 'x' }).where(eq(users.username, name))
  let [met, meet] = [0, () => {}]
  const both = new Promise<void>((resolve) => {
    meet = resolve
  })
  const cross = (first: string, second: string) =>
    pools.db.transaction(async (tx) => {
      await touch(tx, first)
      if (++met === 2) meet()
      await both
      await touch(tx, second)
    })
  const failures = await Promise.all([failureOf(cross('ann', 'bob')), failureOf(cross('bob', 'ann'))])
  expect(failures.filter(isRetryable)).toHaveLength(1)
  expect(failures.filter(Boolean)).toHaveLength(1)
  await pools[Symbol.asyncDispose]()
})

test('NUL is a mistake of the caller', async () => {
  const failure = await failureOf(db.select().from(users).where(eq(users.username, 'a\0b')))
  expect(isInvalidText(failure)).toBe(true)
  expect(isUnavailable(failure)).toBe(false)
})

test('what the server ends or refuses is unavailable: a slow statement, a killed backend, no server, a replica', async () => {
  const slowly = await failureOf(
    db.transaction(async (tx) => {
      await tx.execute(sql`set local statement_timeout = 20`)
      await tx.execute(sql`select pg_sleep(5)`)
    }),
  )
  expect(isUnavailable(slowly)).toBe(true)
  expect(isConnectionLost(slowly)).toBe(false)
  const killed = await failureOf(slow.execute(sql`select pg_terminate_backend(pg_backend_pid())`))
  expect(isUnavailable(killed)).toBe(true)
  expect(isConnectionLost(killed)).toBe(true)
  const readOnly = await failureOf(
    slow.transaction(async (tx) => {
      await tx.execute(sql`set transaction read only`)
      await tx.delete(users)
    }),
  )
  expect(isUnavailable(readOnly)).toBe(true)
  const nowhere = connect({ host: '/nonexistent', port: 5432, user: 'app', database: 'app' })
  expect(isUnavailable(await failureOf(selectOne(databaseOver(nowhere))))).toBe(true)
  await endClient(nowhere)
  const refused = connect('postgres://app@127.0.0.1:1/app')
  expect(isUnavailable(await failureOf(selectOne(databaseOver(refused))))).toBe(true)
  await endClient(refused)
})

test('what is not the database may be refused in the same words, also in a transaction: that is no outage of it', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:25'), { code: 'ECONNREFUSED' })
  const outcomes = [
    refused,
    new Error('The mail server is away', { cause: refused }),
    await failureOf(db.transaction(() => Promise.reject(refused))),
    await failureOf(db.transaction((tx) => tx.transaction(() => Promise.reject(refused)))),
  ]
  expect(outcomes.flatMap((error) => [isUnavailable(error), isConnectionLost(error), isDatabaseAway(error)])).toEqual(
    Array.from({ length: 12 }, () => false),
  )
})

test('a transaction that idled too long is worth another try, and no outage: the database is there', () => {
  const idled = ofDatabase(Object.assign(new Error('idled'), { code: '25P03' }))
  expect([isUnavailable(idled), isConnectionLost(idled), isDatabaseAway(idled)]).toEqual([true, true, false])
})
