import { eq, sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, expect, test, vi } from 'vitest'
import { connect, databaseOver } from '../../src/db/client.ts'
import { endClient, openPools } from '../../src/db/pools.ts'
import { users } from '../../src/db/schema/index.ts'
import { instantText, statement } from '../../src/db/statement.ts'
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
const client = connect(database.target, { max: 1, plans: 'generic' })
const db = databaseOver(client)
const LIST = ['a "b"', 'c,d', '{}', 'é\\', '', 'NULL', ' ', '\n', '\\"', "it's"]

afterAll(async () => {
  await endClient(client)
  await database[Symbol.asyncDispose]()
})

test('a statement takes dates, bytes, lists, numbers and nulls, and shows times as the API does', async () => {
  const ask = statement<
    [Date, Buffer, string[], number, boolean, null],
    { at: string; bytes: Buffer; list: string[]; n: number; yes: boolean; none: null; shown: string; big: string }
  >(`select $1::timestamptz as at, $2::bytea as bytes, $3::text[] as list, $4::int as n, $5::boolean as yes,
     $6::text as none, ${instantText('$1::timestamptz')} as shown, 9007199254740993::bigint as big`)
  const [row] = await ask(db, new Date(1234567890), Buffer.from('x'), LIST, 7, true, null)
  expect(row).toEqual({
    at: '1970-01-15 06:56:07.89+00',
    bytes: Buffer.from('x'),
    list: LIST,
    n: 7,
    yes: true,
    none: null,
    shown: '1970-01-15T06:56:07.890Z',
    big: '9007199254740993',
  })
})

test('statements, and what drizzle builds, are prepared once for a connection and planned once for all values', async () => {
  const ask = statement<[username: string], { id: string }>(
    'select id as "prepared once" from users where username = $1',
  )
  for (const username of ['a', 'b', 'c']) {
    await ask(db, username)
    await db.select({ id: users.id }).from(users).where(eq(users.username, username))
  }
  const prepared = await db.execute(sql`
    select generic_plans::int, custom_plans::int from pg_prepared_statements where statement like '%from%users%where%'`)
  expect([...prepared]).toEqual([
    { generic_plans: 3, custom_plans: 0 },
    { generic_plans: 3, custom_plans: 0 },
  ])
})

test('in a transaction a statement sees and leaves what the transaction does', async () => {
  const insert = statement<[id: string, username: string], { id: string }>(
    `insert into users (id, username, email, created_at, updated_at) values ($1, $2, $2, now(), now()) returning id`,
  )
  const count = statement<[], { n: number }>('select count(*)::int as n from users')
  const failing = db.transaction(async (tx) => {
    expect(await insert(tx, 'usr_1', 'ann')).toEqual([{ id: 'usr_1' }])
    await tx.transaction(async (inner) => {
      expect(await count(inner)).toEqual([{ n: 1 }])
    })
    throw new Error('undone')
  })
  await expect(failing).rejects.toThrow('undone')
  expect(await count(db)).toEqual([{ n: 0 }])
})

test('the pools: short statements are planned for all values, slow ones anew; without a replica reads go to the primary', async () => {
  await using replica = await createEmptyDatabase()
  await using pools = openPools(database.target, { replica: replica.target })
  const mode = sql`select current_setting('plan_cache_mode') as mode, current_setting('statement_timeout') as "limit"`
  expect([...(await pools.db.execute(mode))]).toEqual([{ mode: 'force_generic_plan', limit: '5s' }])
  expect([...(await pools.slow.execute(mode))]).toEqual([{ mode: 'force_custom_plan', limit: '10s' }])
  const name = async (of: typeof db) =>
    (await of.execute<{ name: string }>(sql`select current_database() as name`))[0]?.name
  expect(await name(pools.replica)).not.toBe(await name(pools.db))
  await using alone = openPools(database.target)
  expect(alone.replica).toBe(alone.slow)
})

test('behind a transaction pooler nothing of a session is relied upon', async () => {
  await using pools = openPools(database.target, { pooler: 'transaction' })
  const lists = statement<[string[]], { list: string[] }>('select $1::text[] as list')
  expect(await lists(pools.db, ['a,b', 'c'])).toEqual([{ list: ['a,b', 'c'] }])
  await pools.db.select().from(users).where(eq(users.username, 'nobody'))
  const left = sql`select (select count(*)::int from pg_prepared_statements) as prepared, current_setting('statement_timeout') as "limit"`
  expect([...(await pools.db.execute(left))]).toEqual([{ prepared: 0, limit: '0' }])
})

const patchedFaults = Object.getOwnPropertyDescriptor(postgres, 'patchedFaults')?.value

test.each([
  ['without the patches', {}, '001+faults'],
  ['that lacks what corrects faults', { patchedCost: 1 }, '001+faults'],
  ['that lacks what lowers its cost', { patchedFaults }, '002+cost'],
  ['with patches of an earlier release', { patchedFaults: 1, patchedCost: 1 }, '001+faults'],
])('a driver %s is refused when it is loaded', async (_what, marks, lacking) => {
  vi.resetModules()
  vi.doMock('postgres', () => ({ default: Object.assign(() => {}, marks) }))
  await expect(import('../../src/db/client.ts')).rejects.toThrow(
    `lacks patches/postgres+3.4.9+${lacking}.patch: run node patch.mjs`,
  )
  vi.doUnmock('postgres')
  vi.resetModules() // or the files after this one would get the module that failed
})
