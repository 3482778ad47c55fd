import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { folderWithCluster, runCommand, type Service, startService } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const folder = folderWithCluster()
const env = { DATA_DIR: folder.path, DEMO_DATA: 'off', WEB_CONCURRENCY: '2' }
let service: Service
let key: string

beforeAll(async () => {
  service = await startService(env)
  const { stdout } = await runCommand(['client', 'create', '--name', 'A bot', '--json'], env)
  const made = await runCommand(['key', 'create', '--client', JSON.parse(stdout).client_id, '--json'], env)
  key = JSON.parse(made.stdout).key
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** On a connection of its own, so that the processes take turns. */
async function ask() {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  const response = await fetch(`${service.base}/v1/categories/`, { headers })
  await response.text()
  return { status: response.status, remaining: Number(response.headers.get('ratelimit-remaining')) }
}

test('several processes count a credential together', async () => {
  const counted = []
  for (let i = 0; i < 6; i++) counted.push((await ask()).remaining)
  expect(counted).toEqual([799, 798, 797, 796, 795, 794])
})

test('SIGHUP replaces the processes one by one, and no request notices', async () => {
  const replaced = service.output.holds(/The processes were replaced/)
  let isReplaced = false
  replaced.then(() => {
    isReplaced = true
  })
  service.child.kill('SIGHUP')
  const statuses = new Set<number>()
  while (!isReplaced) statuses.add((await ask()).status)
  expect([...statuses].filter((status) => status !== 429)).toEqual([200])
})

test('SIGTERM ends them all, with status 0', async () => {
  expect(await service.stop()).toBe(0)
  await expect(ask()).rejects.toThrow()
})

test('a port that is in use is one line, however many processes want it', async () => {
  using other = temporaryFolder()
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  await using second = await startService({ ...env, DATA_DIR: other.path, PORT: String(port) })
  expect(await second.ended).toBe(1)
  expect(second.output.text.stderr).toMatch(/^developer-api: PORT \d+ of 127.0.0.1 is in use[^\n]*\n$/)
  expect(existsSync(join(other.path, 'postgres'))).toBe(false)
  holder.close()
})
