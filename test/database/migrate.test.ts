import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { connect, type DatabaseTarget, databaseOver } from '../../src/db/client.ts'
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

test('a migrated database lacks nothing, an empty one lacks all', async () => {
  await using migrated = await createTestDatabase()
  expect(await countPending(migrated.db)).toBe(0)
  await using empty = await createEmptyDatabase()
  const client = connect(empty.target, { max: 1 })
  expect(await countPending(databaseOver(client))).toBe(readJournal(MIGRATIONS).length)
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
