import { existsSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { connect } from '../../../src/db/client.ts'
import { findEmbedded } from '../../../src/db/embedded/owner.ts'
import { startEmbedded } from '../../../src/db/embedded/supervisor.ts'
import { endClient } from '../../../src/db/pools.ts'
import { hold, isAlive, makeBase, stop, until } from './held.ts'

const base = makeBase()
afterAll(base.dispose)
const dataDir = base.folder('data')

test('makes a cluster, keeps what was written, and starts again', async () => {
  const first = await hold({ dataDir, write: 1 })
  expect(first.isFresh).toBe(true)
  await until('50 rows', () => first.lines.length > 50)
  await stop(first)
  const again = await hold({ dataDir })
  expect(again.isFresh).toBe(false)
  expect(again.rows).toBeGreaterThanOrEqual(50)
  await stop(again)
})

test('a second process on the folder is refused in one line that names the first, and a command finds its database', async () => {
  const running = await hold({ dataDir })
  await expect(startEmbedded({ dataDir })).rejects.toThrow(
    new RegExp(`^The embedded database in .+ is in use by process ${running.node}: stop it, or set DATABASE_URL`),
  )
  const found = findEmbedded(dataDir)
  expect(found?.owner).toBe(running.node)
  const client = connect(found?.target ?? '', { max: 1 })
  const [row] =
    await client`select current_user as role, current_database() as database, usesuper as "isSuper" from pg_user where usename = current_user`
  expect(row).toEqual({ role: 'app', database: 'app', isSuper: false })
  await endClient(client)
  await stop(running)
  expect(findEmbedded(dataDir)).toBeUndefined()
})

test.each([
  { signal: 'SIGTERM', to: 'the process' },
  { signal: 'SIGINT', to: 'its whole group, as Ctrl-C does' },
])('$signal to $to: what is in flight is answered, then the server stops', async ({ signal, to }) => {
  const running = await hold({ dataDir })
  process.kill(to === 'the process' ? running.node : -running.node, signal)
  expect(await running.ended).toBe(0)
  expect(JSON.parse(running.lines.at(-1) ?? '')).toEqual({ signal, isAlive: true })
  expect(isAlive(running.server)).toBe(false)
})

test('a server that cannot start says why in one line: the last that its log says with FATAL or PANIC', async () => {
  await expect(startEmbedded({ dataDir, settings: { shared_buffers: 'a lot' } })).rejects.toThrow(
    /^PostgreSQL did not start \(\d+\): FATAL: +invalid value for parameter "shared_buffers": "a lot"$/,
  )
  const broken = base.folder('broken')
  await stop(await hold({ dataDir: broken }))
  truncateSync(join(broken, 'postgres/data/global/pg_control'))
  await expect(startEmbedded({ dataDir: broken })).rejects.toThrow(
    /^PostgreSQL did not start \(\w+\): PANIC: +could not read file "global\/pg_control".*$/,
  )
})

test('a left-over postmaster.pid that names some other living process does not matter', async () => {
  const data = join(dataDir, 'postgres', 'data')
  writeFileSync(join(data, 'postmaster.pid'), `${process.pid}\n${data}\n1\n5432\n\n\n1 1\nready\n`)
  await using server = await startEmbedded({ dataDir })
  expect(server.isFresh).toBe(false)
})

test('a path longer than that of a socket may be', async () => {
  const deep = join(base.folder('x'.repeat(60)), 'y'.repeat(60))
  mkdirSync(deep, { recursive: true })
  renameSync(join(dataDir, 'postgres'), join(deep, 'postgres'))
  const server = await startEmbedded({ dataDir: deep })
  const client = connect(server.target, { max: 1 })
  expect(await client`select 1 as one`).toEqual([{ one: 1 }])
  await endClient(client)
  await server.stop()
  expect(existsSync(server.target.host)).toBe(false)
  renameSync(join(deep, 'postgres'), join(dataDir, 'postgres'))
})

test('a cluster of another major version, and a folder that holds no cluster, are refused in one line', async () => {
  writeFileSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '17\n')
  await expect(startEmbedded({ dataDir })).rejects.toThrow(
    /^.+ was made by PostgreSQL 17, this release ships 18: dump it/,
  )
  const other = base.folder('other')
  mkdirSync(join(other, 'postgres', 'data'), { recursive: true })
  await expect(startEmbedded({ dataDir: other })).rejects.toThrow(/ exists but is no PostgreSQL cluster: move it away$/)
})
