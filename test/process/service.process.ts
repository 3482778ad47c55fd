import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFailed, test, vi } from 'vitest'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { temporaryFolder } from '../support/folder.ts'
import { run, type Service, startService } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000 }) // processes start, and on a busy machine that takes its time

const folder = temporaryFolder()
let service: Service

const readDemo = () => DemoCredentials.parse(JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')))
const get = (path: string, token?: string) =>
  fetch(service.base + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
const modeOf = (name: string) => statSync(join(folder.path, name)).mode & 0o777

beforeAll(async () => {
  service = await startService({ DATA_DIR: folder.path })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

describe('a first start without any configuration', () => {
  test('is ready, with demo data', async () => {
    expect(service.isReady).toBe(true)
    expect(await (await get('/health/ready')).json()).toEqual({ ready: true })
    const { client, users } = readDemo()
    expect(await (await get('/v1/users/me', users.viewer.access_token)).json()).toMatchObject({
      data: { id: users.viewer.id, username: 'viewer' },
    })
    expect(await (await get('/v1/channels/streamer', readDemo().api_key)).json()).toMatchObject({
      data: { is_live: true },
    })
    expect(client.client_id).toMatch(/^cli_/)
  })

  test('prints where everything is, and commands that work when they are pasted', async () => {
    const { stdout: log, stderr: told } = service.output.text
    for (const line of log.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level') // nothing else where a log is read
    for (const part of [
      service.base,
      `${service.base}/docs`,
      `${service.base}/console`,
      join(folder.path, 'demo.json'),
      `written to ${join(folder.path, 'mail')}\n`,
    ]) {
      expect(told).toContain(part)
    }
    const commands = told.replaceAll('\\\n', ' ').match(/^ {2}curl .*$/gm) ?? []
    expect(commands).toHaveLength(3)
    for (const command of commands) {
      const { status, stdout: answer } = await run('sh', ['-c', `${command} -sf`])
      expect([command, status]).toEqual([command, 0])
      expect(JSON.parse(answer)).toHaveProperty('data')
    }
  })

  test('keeps what is secret to the one who started it', () => {
    expect(modeOf('demo.json')).toBe(0o600)
    expect(modeOf('secret-keys')).toBe(0o600)
    expect(modeOf('postgres')).toBe(0o700)
  })

  test('listens to this machine alone', () => {
    expect(service.base).toContain('127.0.0.1')
    expect(service.output.text.stdout).not.toContain('0.0.0.0')
  })
})

describe('a second process', () => {
  test('on the same data is refused with one line', async () => {
    await using second = await startService({ DATA_DIR: folder.path })
    expect(second.isReady).toBe(false)
    expect(await second.ended).toBe(1)
    expect(second.output.text.stderr).toMatch(/^developer-api: .* in use by process \d+.*\n$/)
  })

  test('on the same port is refused with one line', async () => {
    using other = temporaryFolder()
    await using second = await startService({ DATA_DIR: other.path, PORT: String(service.port) })
    expect(await second.ended).toBe(1)
    expect(second.output.text.stderr).toMatch(/^developer-api: PORT \d+ of 127.0.0.1 is in use.*\n$/)
    expect(existsSync(join(other.path, 'postgres', 'data'))).toBe(false)
  })
})

test('a wrong variable stops the start with one line that names it', async () => {
  await using wrong = await startService({ PORT: '3000', DEMO_DATA: 'maybe' })
  expect(await wrong.ended).toBe(1)
  expect(wrong.output.text).toEqual({
    stdout: '',
    stderr: 'developer-api: DEMO_DATA must be on or off: whether demo data is made at the start\n',
  })
})

test('a file .env of the folder in which somebody happens to be is not read', async () => {
  using elsewhere = temporaryFolder()
  writeFileSync(join(elsewhere.path, '.env'), 'DEMO_DATA=maybe\n')
  const command = `cd "${elsewhere.path}" && "${process.execPath}" "${resolve('bin/developer-api.mjs')}" client list`
  const { stderr } = await run('sh', ['-c', command], { DATA_DIR: join(elsewhere.path, '.env') })
  expect(stderr).toMatch(/DATA_DIR .* is, or is below, a file/)
})

test('SIGTERM lets the request in flight end, then stops the database and ends with status 0', async () => {
  const { users } = readDemo()
  const content = 'sent while it stops'
  const body = JSON.stringify({ room_name: 'streamer', content })
  const headers = {
    authorization: `Bearer ${users.outsider.access_token}`,
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue',
  }
  const sending = request(`${service.base}/v1/chat/messages`, { method: 'POST', headers })
  sending.flushHeaders()
  await once(sending, 'continue')
  const stopped = service.stop('SIGTERM')
  sending.end(body)
  const [response] = await once(sending, 'response')
  expect(response.statusCode).toBe(201)
  response.resume()
  expect(await stopped).toBe(0)
  await expect(get('/health/')).rejects.toThrow()
})

test('a restart keeps the data and what is known of it', async () => {
  const before = readDemo()
  const started = performance.now()
  service = await startService({ DATA_DIR: folder.path })
  expect(performance.now() - started).toBeLessThan(60_000) // 5 s where nothing else runs: a second of work, most of it of the database
  const after = readDemo()
  expect(after.users.viewer).toMatchObject({ id: before.users.viewer.id, password: before.users.viewer.password })
  expect(after.client).toEqual(before.client)
  const messages = await (await get('/v1/chat/messages?room_name=streamer', after.api_key)).text()
  expect(messages).toContain('sent while it stops')
  expect((await get('/v1/users/me', before.users.viewer.access_token)).status).toBe(200)
})

test('a database that dies alone is started again, and the service goes on', async () => {
  onTestFailed(() => void process.stderr.write(service.output.text.stdout))
  const pid = readFileSync(join(folder.path, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]
  process.kill(Number(pid), 'SIGKILL')
  await service.output.holds(/PostgreSQL exited .*restarting/)
  const { api_key } = readDemo()
  const statuses: number[] = []
  while (!statuses.includes(200)) statuses.push((await get('/v1/categories/', api_key)).status)
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
})

test('a killed process leaves nothing that keeps the next one from starting', async () => {
  await service.stop('SIGKILL')
  service = await startService({ DATA_DIR: folder.path, DEMO_DATA: 'off' })
  expect(service.isReady).toBe(true)
  expect(await service.stop('SIGINT')).toBe(0)
})

test('the log is JSON, one object a line, and holds no credential', () => {
  const { stdout } = service.output.text
  for (const line of stdout.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
})
