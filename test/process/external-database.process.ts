import { expect, test, vi } from 'vitest'
import type { DatabaseTarget } from '../../src/db/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { startProcess } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000 })

test('a database that does not answer is waited for: alive, not ready, and told once with where and why', async () => {
  const host = `127.0.0.1:${await freePort()}`
  const DATABASE_URL = `postgres://app:hunter2@${host}/app`
  await using service = await startProcess({ DATABASE_URL, SECRET_KEYS: 'k'.repeat(32) })
  await service.output.holds(/Database unavailable: retrying/)
  expect((await fetch(`${service.base}/health/`)).status).toBe(200)

  const paths = ['/health/ready', '/v1/channels/', '/oauth/token', '/nothing']
  const answers = await Promise.all(paths.map((path) => fetch(service.base + path)))
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 405, 404])
  expect(await answers[0]?.json()).toMatchObject({ error: { code: 'unavailable' } })

  expect(await service.stop()).toBe(0)
  const { stdout, stderr } = service.output.text
  expect(stdout.match(/Database unavailable: retrying/g)).toHaveLength(1)
  expect(stdout).toMatch(new RegExp(`"database":"${host}","reason":"[^"]*ECONNREFUSED`))
  expect(stdout).toMatch(/"signal":"SIGTERM","msg":"Stopping.*"msg":"Stopped"/s)
  expect(stdout + stderr).not.toContain('hunter2')
})

test.each([
  ['the service', 'is checked', 'from "webhook_secrets"', {}, /is ready/, ['dist/main.js']],
  ['the service', 'gets its demonstration', 'insert into "users"', { DEMO_DATA: 'on' }, /is ready/, ['dist/main.js']],
  ['the worker', 'is checked', 'from "webhook_secrets"', {}, /Webhook worker started/, ['dist/cli.js', 'worker']],
])('%s starts also when the database goes away while it %s', async (_who, _when, cutAt, given, ready, words) => {
  await using database = await createTestDatabase()
  await using proxy = await createDatabaseProxy(database.target, { cutAt })
  using folder = temporaryFolder()
  const env = { DATABASE_URL: addressOf(proxy.target), DATA_DIR: folder.path, SECRET_KEYS: 'k'.repeat(32), ...given }
  await using started = await startProcess(env, words)
  expect(await Promise.race([started.output.holds(ready), started.ended])).not.toBe(1)
  expect(proxy.hasCut()).toBe(true)
  expect(started.output.text.stdout.match(/Database unavailable: retrying/g)).toHaveLength(1)
})

const addressOf = (target: DatabaseTarget) =>
  typeof target === 'string' ? target : `postgres://${target.user}@${target.host}:${target.port}/${target.database}`

test('it does not start without keys of its own', async () => {
  await using service = await startProcess({ DATABASE_URL: 'postgres://app@127.0.0.1:1/app' })
  expect(await service.ended).toBe(1)
  expect(service.output.text.stderr).toMatch(/^developer-api: SECRET_KEYS is required[^\n]*\n$/)
})
