import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { isUnavailable } from '../../src/db/db-error.ts'
import { openPools } from '../../src/db/pools.ts'
import { statement } from '../../src/db/statement.ts'
import { watchStatements } from '../../src/process/metrics/statements.ts'
import { createTestApp } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createDistantDatabase } from '../support/distant-database.ts'

const ask = statement<[], { one: number }>('select 1 as one')
const fail = statement<[], never>('select 1 / 0')

test('what the database is short of is logged once and not for each statement that meets it, with a sentence', async () => {
  await using database = await createTestDatabase()
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  await using pools = openPools(database.target, watchStatements({ log }))
  const meet = () =>
    pools.db.transaction(async (tx) => {
      await tx.execute(sql`set local temp_file_limit = 64`)
      await tx.execute(sql`set local work_mem = 64`)
      await tx.execute(
        sql`select count(*) from (select n from generate_series(1, 100000) n order by random() offset 0) x`,
      )
    })
  for (let n = 0; n < 3; n++) await expect(meet()).rejects.toSatisfy(isUnavailable)
  expect(lines).toMatchObject([
    {
      level: 50,
      database: 'primary',
      code: '53400',
      reason: expect.stringContaining('temp_file_limit'),
      msg: expect.stringContaining('exceeds a limit in the configuration'),
    },
  ])
})

test('a lost connection to the database is logged once, and once that it is restored', async () => {
  await using distant = await createDistantDatabase()
  const { proxy, pools, lines } = distant
  await ask(pools.db)
  await expect(fail(pools.db)).rejects.toThrow('division by zero')
  expect(lines).toEqual([])

  await proxy.takeAway()
  await expect(ask(pools.db)).rejects.toThrow()
  await expect(ask(pools.slow)).rejects.toThrow()
  expect(lines).toMatchObject([
    { database: 'primary', reason: expect.stringMatching(/\w/), msg: 'Database connection lost' },
  ])

  await proxy.giveBack()
  for (const pool of [pools.slow, pools.db]) {
    await vi.waitUntil(() => ask(pool).catch(() => undefined), { timeout: 5_000 })
  }
  expect(lines.slice(1)).toMatchObject([{ database: 'primary', awayMs: expect.any(Number) }])
  expect(lines[1]?.msg).toBe('Database connection restored')
})

test('nor is an outage missed that a transaction meets first, before any statement is sent', async () => {
  await using distant = await createDistantDatabase()
  const { proxy, pools, lines } = distant
  await ask(pools.db)
  await proxy.takeAway()
  for (let n = 0; n < 3; n++) await expect(pools.db.transaction((tx) => ask(tx))).rejects.toThrow()
  await expect(ask(pools.db)).rejects.toThrow()
  expect(lines).toMatchObject([{ database: 'primary', msg: 'Database connection lost' }])
  await proxy.giveBack()
  await vi.waitUntil(() => pools.db.transaction((tx) => ask(tx)).catch(() => undefined), { timeout: 5_000 })
  expect(lines.map(({ msg }) => msg)).toEqual(['Database connection lost', 'Database connection restored'])
})

test.each([
  ['begin', 'begin '],
  ['savepoint', 'savepoint '],
  ['commit', 'commit\0'],
])('nor one that a transaction meets by its "%s" alone', async (_, cutAt) => {
  await using distant = await createDistantDatabase({ cutAt })
  const { pools, lines, proxy } = distant
  await ask(pools.db)
  const write = (tx: typeof pools.db) => tx.execute(sql`insert into categories values ('cat_1', 'a', 'A', 1)`)
  await expect(pools.db.transaction((tx) => tx.transaction(write))).rejects.toThrow()
  expect(proxy.hasCut()).toBe(true)
  expect(lines).toMatchObject([{ database: 'primary', msg: 'Database connection lost' }])
  await vi.waitUntil(() => ask(pools.db).catch(() => undefined), { timeout: 5_000 })
  expect(lines.map(({ msg }) => msg)).toEqual(['Database connection lost', 'Database connection restored'])
})

test('what a transaction throws by itself is no outage, whatever its code', async () => {
  await using distant = await createDistantDatabase()
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  await expect(distant.pools.db.transaction(() => Promise.reject(refused))).rejects.toBe(refused)
  expect(distant.lines).toEqual([])
})

test('requests that fail because the database is away are not logged one by one, by REST, /trpc or /mcp; other failures are', async () => {
  await using distant = await createDistantDatabase()
  const { proxy, pools } = distant
  await using app = await createTestApp({ db: pools.db, slow: pools.slow, replica: pools.replica })
  const token = await app.token(['channel:read', 'category:read'], { user: await app.user('ada') })
  const routes = ['GET /v1/channels/ada', 'GET /trpc/channels.list?input=%7B%7D', 'GET /v1/categories/']
  const statusOf = async (route: string) => (await app.request(route, { token })).status
  const failures = () => app.lines.filter((line) => line.includes(' failed'))
  const params = { name: 'getChannel', arguments: { slug: 'ada' } }
  const agent = {
    token,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  }
  app.context.credentials.trust() // so that the credential is known, and what is asked of the database is the call itself
  expect((await app.request('POST /mcp', agent)).text).toContain('ada')
  await proxy.takeAway()
  for (const route of [...routes, ...routes]) expect(await statusOf(route)).toBe(503)
  expect((await app.request('POST /mcp', agent)).text).toContain('unavailable')
  expect(failures()).toEqual([])

  await proxy.giveBack()
  await vi.waitUntil(async () => (await statusOf('GET /v1/channels/ada')) === 200, { timeout: 5_000 })
  await app.context.db.execute(sql`alter table categories rename to also_gone`)
  expect(await statusOf('GET /v1/categories/')).toBe(500)
  expect(failures()).toHaveLength(1)
})
