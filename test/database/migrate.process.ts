import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import type { Blocker } from '../../src/db/blockers.ts'
import { connect, type DatabaseTarget, databaseOver } from '../../src/db/client.ts'
import { buildIndex, largeIndexes, missingIndexes } from '../../src/db/large-indexes.ts'
import { lateConstraints } from '../../src/db/late-constraints.ts'
import { countPending, MIGRATIONS, migrateDatabase, readJournal } from '../../src/db/migrate.ts'
import { endClient } from '../../src/db/pools.ts'
import * as schema from '../../src/db/schema/index.ts'
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts'

const base = mkdtempSync(join(tmpdir(), 'migrations-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** A folder of migrations as drizzle-kit writes it. */
function folderOf(...steps: [when: number, statement: string][]): string {
  const folder = mkdtempSync(join(base, 'folder-'))
  mkdirSync(join(folder, 'meta'))
  const entries = steps.map(([when, statement], idx) => {
    const tag = `000${idx}_step`
    writeFileSync(join(folder, `${tag}.sql`), statement)
    return { idx, version: '7', when, tag, breakpoints: true }
  })
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify({ version: '7', dialect: 'postgresql', entries }))
  return folder
}

async function ask(target: DatabaseTarget, query: string): Promise<Record<string, unknown>[]> {
  const client = connect(target, { max: 1 })
  try {
    return await client.unsafe(query)
  } finally {
    await endClient(client)
  }
}

test('five processes on a fresh database: each step runs once, and those that wait say so', async () => {
  await using database = await createEmptyDatabase()
  const folder = folderOf(
    [1, 'create table once (n int); insert into once values (1)'],
    [2, 'insert into once select 2 from pg_sleep(0.3)'],
  )
  let waited = 0
  const runs = Array.from({ length: 5 }, () => migrateDatabase(database.target, { folder, onWait: () => waited++ }))
  expect((await Promise.all(runs)).toSorted()).toEqual([0, 0, 0, 0, 2])
  expect(await ask(database.target, 'select n from once order by n')).toEqual([{ n: 1 }, { n: 2 }])
  expect(waited).toBe(4)
})

test('an entry that is older than the newest applied one is refused, where drizzle would skip it', async () => {
  await using database = await createEmptyDatabase()
  expect(() => readJournal(folderOf([5, 'select 1'], [3, 'select 1']))).toThrow('0001_step is not newer than 0000_step')
  await migrateDatabase(database.target, { folder: folderOf([5, 'create table a (n int)']) })
  const behind = folderOf([1, 'create table b (n int)'], [2, 'create table c (n int)'])
  await expect(migrateDatabase(database.target, { folder: behind })).rejects.toThrow(
    '2 migrations are known, 1 are recorded: one was skipped',
  )
})

test('a step that fails leaves nothing of the run', async () => {
  await using database = await createEmptyDatabase()
  const folder = folderOf([1, 'create table kept (n int)'], [2, 'create table broken ('])
  await expect(migrateDatabase(database.target, { folder })).rejects.toThrow()
  expect(await ask(database.target, `select to_regclass('kept') as kept`)).toEqual([{ kept: null }])
})

test('a migration waits for no lock longer than half a second, says who holds it, and is applied when that is let go', async () => {
  await using database = await createEmptyDatabase()
  await migrateDatabase(database.target, { folder: folderOf([1, 'create table busy (n int)']) })
  const folder = folderOf([1, 'create table busy (n int)'], [2, 'alter table busy add column m int'])
  const dump = connect(database.target, { max: 1, name: 'nightly dump' })
  const reader = connect(database.target, { max: 1 })
  let [letGo, hasRead] = [() => {}, () => {}]
  const isHeld = new Promise<void>((resolve) => {
    hasRead = resolve
  })
  const dumping = dump.begin(async (tx) => {
    await tx`select n from busy`
    await new Promise<void>((resolve) => {
      letGo = resolve
      hasRead()
    })
  })
  await isHeld
  let [tries, longestMs] = [0, 0]
  const blockers = await new Promise<Blocker[]>((resolve, reject) => {
    const onBlocked = (found: Blocker[]) => void (++tries === 1 && resolve(found))
    migrateDatabase(database.target, { folder, onBlocked }).then((applied) => {
      expect(applied).toBe(1)
    }, reject)
  })
  for (const until = performance.now() + 1_000; performance.now() < until; ) {
    const begun = performance.now()
    await reader`select n from busy`
    longestMs = Math.max(longestMs, performance.now() - begun)
  }
  expect(longestMs).toBeLessThan(1_000)
  expect(blockers).toEqual([
    {
      pid: expect.any(Number),
      application: 'nightly dump',
      user: expect.any(String),
      age_s: expect.any(Number),
      statement: 'select n from busy',
    },
  ])
  letGo()
  await dumping
  await expect.poll(() => ask(database.target, 'select m from busy'), { timeout: 10_000 }).toEqual([])
  await Promise.all([dump, reader].map(endClient))
})

test('a large index waits for who writes and keeps nobody from writing; what a killed build left is built again', async () => {
  await using database = await createTestDatabase()
  const index = { name: 'events_once_more', table: 'events', by: '(channel_id, position)' }
  const parts = (parent: string) =>
    ask(
      database.target,
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${parent}'::regclass`,
    )
  const partitions = (await parts('events')).map(({ name }) => String(name)).toSorted()
  const [first] = partitions
  await ask(database.target, `create index ${first}_once_more on ${first} (channel_id, position)`)
  await ask(database.target, `update pg_index set indisvalid = false where indexrelid = '${first}_once_more'::regclass`)
  const writer = connect(database.target, { max: 1 })
  const builder = connect(database.target, { max: 1, lockMs: 200 })
  const build = async () => {
    await buildIndex(databaseOver(builder), index)
    return performance.now()
  }
  const [builtAt, letGoAt] = await writer.begin(async (tx) => {
    await tx.unsafe(`lock table ${first} in row exclusive mode`)
    const building = build()
    await tx.unsafe('select pg_sleep(0.5)') // longer than a lock is waited for
    await ask(database.target, 'begin; lock table events in row exclusive mode; commit') // as who inserts
    return [building, performance.now()] as const
  })
  expect(await builtAt).toBeGreaterThan(letGoAt)
  expect(await missingIndexes(databaseOver(builder), [index])).toEqual([])
  expect(await parts('events_once_more')).toHaveLength(partitions.length)
  await Promise.all([writer, builder].map(endClient))
})

test('a database that lacks a large index is not up to date, and gets it from the next migration', async () => {
  await using database = await createTestDatabase()
  const names = largeIndexes.map(({ name }) => name)
  await ask(database.target, `drop index ${names.join()}`)
  expect(await countPending(database.db)).toBe(names.length)
  await migrateDatabase(database.target)
  expect(await countPending(database.db)).toBe(0)
})

test('a constraint that looked at no rows is validated by the next migration, while everybody writes on', async () => {
  await using database = await createTestDatabase()
  const notValid = `select conname as name from pg_constraint where connamespace = 'public'::regnamespace and not convalidated`
  expect(await ask(database.target, notValid), 'each is validated a release after it was added').toEqual([])
  const [late] = lateConstraints
  if (!late) return
  const { name, table } = late
  const definition = `select pg_get_constraintdef(oid) as text from pg_constraint where conname = '${name}'`
  const [{ text } = {}] = await ask(database.target, definition)
  await ask(database.target, `alter table ${table} drop constraint ${name}`)
  await ask(database.target, `alter table ${table} add constraint ${name} ${text} not valid`)
  expect(await countPending(database.db)).toBe(1)
  const writer = connect(database.target, { max: 1 })
  await writer.begin(async (tx) => {
    await tx.unsafe(`lock table ${table} in row exclusive mode`) // as who writes
    expect(await migrateDatabase(database.target)).toBe(0)
  })
  expect(await countPending(database.db)).toBe(0)
  expect(await ask(database.target, notValid)).toEqual([])
  await endClient(writer)
})

test('a dump of everything beside it holds up no start: what is new is made, what is old is dropped later', async () => {
  await using database = await createTestDatabase()
  const tables = await ask(
    database.target,
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  const dump = connect(database.target, { max: 1 })
  await dump.begin(async (tx) => {
    await tx.unsafe(`lock table ${tables.map(({ relname }) => relname).join()} in access share mode`)
    // the dump ends after it: whoever wants a lock that it holds waits until that is refused
    const blocked: Blocker[][] = []
    expect(await migrateDatabase(database.target, { ahead: 20, onBlocked: (by) => blocked.push(by) })).toBe(0)
    expect(blocked).toEqual([])
  })
  await endClient(dump)
})

test('a migrated database lacks nothing, an empty one lacks all', async () => {
  await using migrated = await createTestDatabase()
  expect(await countPending(migrated.db)).toBe(0)
  await using empty = await createEmptyDatabase()
  const client = connect(empty.target, { max: 1 })
  expect(await countPending(databaseOver(client))).toBe(readJournal(MIGRATIONS).length + largeIndexes.length)
  await endClient(client)
})

test('the migrations hold the whole schema', async () => {
  const newest = readJournal(MIGRATIONS).at(-1)?.tag.slice(0, 4)
  const recorded = JSON.parse(readFileSync(join(MIGRATIONS, 'meta', `${newest}_snapshot.json`), 'utf8'))
  const present = generateDrizzleJson(schema, recorded.id, undefined, 'snake_case')
  expect(await generateMigration(recorded, present)).toEqual([])
})

test('no name of a constraint or an index is cut off by the server, so that verbs can know them', async () => {
  await using database = await createTestDatabase()
  const rows = await database.db.execute<{ name: string }>(sql`
    select conname as name from pg_constraint where connamespace = 'public'::regnamespace and octet_length(conname) >= 63 and conparentid = 0
    union all select relname from pg_class where relnamespace = 'public'::regnamespace and octet_length(relname) >= 63 and not relispartition`)
  expect([...rows]).toEqual([])
})
