import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { children, kill, until } from '../database/embedded/held.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, type Service, startProcess, startService } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { scrape } from '../support/scrape.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const folder = folderWithCluster()
const env = { DATA_DIR: folder.path, WEB_CONCURRENCY: '2' }
let service: Service
let port: number

beforeAll(async () => {
  port = await freePort()
  service = await startService({ ...env, METRICS_PORT: String(port) })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const readDemo = () => DemoCredentials.parse(JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')))

describe('the metrics of a service of two processes', () => {
  test('count each answer by operation and class of status, on connections of their own', async () => {
    const { api_key: key } = readDemo()
    const headers = { authorization: `Bearer ${key}`, connection: 'close' }
    const ask = async (path: string) => (await fetch(service.base + path, { headers })).text()
    const before = await scrape(port)
    for (let i = 0; i < 4; i++) await ask('/v1/channels/streamer')
    for (const path of ['/v1/channels/nobody-of-that-name', '/nowhere/at-all', '/docs/']) await ask(path)
    const after = await scrape(port)
    const added = (labels: string) => {
      const name = `http_request_duration_seconds_count{${labels}}`
      return (after.get(name) ?? 0) - (before.get(name) ?? 0)
    }
    expect(added('operation="GET /v1/channels/{slug}",status="2xx"')).toBe(4)
    expect(added('operation="GET /v1/channels/{slug}",status="4xx"')).toBe(1)
    expect(added('operation="(none)",status="4xx"')).toBe(1)
    expect(added('operation="GET /docs",status="2xx"')).toBe(1)
    expect(after.get('http_requests_in_flight')).toBe(0)
    for (const operation of ['GET /v1/channels/', 'POST /login', 'POST /trpc']) {
      const refused = after.get(`http_rate_limited_total{operation="${operation}"}`)
      expect(refused, `${operation}: the first refusal is an increase only where there was a 0 before`).toBe(0)
    }
  })

  test('tell of statements, connections and the process', async () => {
    const metrics = await scrape(port)
    expect(metrics.get('database_up')).toBe(1)
    expect(metrics.get('database_statement_duration_seconds_count{pool="fast"}')).toBeGreaterThan(0)
    expect(metrics.get('database_pool_connections_max{pool="fast"}')).toBe(16)
    expect([...metrics.keys()].some((name) => name.startsWith('database_connections{client="developer-api"'))).toBe(
      true,
    )
    expect(metrics.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
    expect(metrics.get('process_resident_memory_bytes')).toBeGreaterThan(0)
  })

  test('tell of deliveries, from their due time to their arrival', async () => {
    await using receiver = await startReceiver()
    const { api_key: key, users } = readDemo()
    const post = (path: string, token: string, body: object) =>
      fetch(service.base + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const before = await scrape(port)
    await post('/v1/events/subscriptions', key, { url: receiver.url, event_types: ['chat.message.sent'] })
    await post('/v1/chat/messages', users.viewer.access_token, { room_name: 'streamer', content: 'counted' })
    await receiver.received(1)
    let after = before
    const delivered = 'webhook_attempts_total{outcome="delivered"}'
    while ((after.get(delivered) ?? 0) === (before.get(delivered) ?? 0)) after = await scrape(port)
    expect(after.get('webhook_publish_to_arrival_seconds_count')).toBe(1)
    expect(after.get('webhook_publish_to_arrival_seconds_bucket{le="+Inf"}')).toBe(1)
    expect(after.get('webhook_attempt_seconds_count')).toBe(1)
    for (const name of [
      'webhook_due_lag_seconds',
      'webhook_retry_lag_seconds',
      'webhook_in_flight{pace="slow"}',
      'webhook_pending{lane="first"}',
      'webhook_pending{lane="retries"}',
      'webhook_lost_leases_total',
      'webhook_open_breakers',
      'webhook_disabled_total{reason="gone"}',
      'webhook_settle_retries_total',
      'webhook_oldest_xmin_age',
      'webhook_dead_tuples',
    ]) {
      expect(after.has(name), name).toBe(true)
    }
  })

  test('hold no identifier and no address', async () => {
    const names = [...(await scrape(port)).keys()].join('\n')
    expect(names).not.toMatch(/\b(usr|cli|sub|evt|dlv|msg)_|https?:|127\.0\.0\.1|nobody-of-that-name|at-all/)
  })

  test('are on their own port alone', async () => {
    expect((await fetch(`${service.base}/metrics`)).status).toBe(404)
    expect((await fetch(`http://127.0.0.1:${port}/v1/users/me`)).status).toBe(404)
  })
})

/** On a connection of its own, so that the processes take turns. */
async function ask() {
  const { access_token: token } = readDemo().users.outsider
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
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
  const replaced = service.output.holds(/Rolling restart of the worker processes finished/)
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

const isService = (one: number) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('main.js')

test('a process that is stuck holds up neither a rolling restart nor the end: it is killed', async () => {
  await using stuck = await startService(env)
  const freeze = () => {
    const frozen = children(stuck.child.pid ?? 0).find(isService) ?? 0
    process.kill(frozen, 'SIGSTOP')
    return frozen
  }
  const first = freeze()
  stuck.child.kill('SIGHUP')
  await stuck.output.holds(/Rolling restart of the worker processes finished/)
  const second = freeze()
  expect(await stuck.stop()).toBe(0)
  const killed = [...stuck.output.text.stdout.matchAll(/"pid":(\d+).*does not end: killing it/g)].map(([, pid]) => pid)
  expect(killed).toEqual([String(first), String(second)])
})

test('a process that is killed while it starts is replaced, and the service starts all the same', async () => {
  await using hurt = await startProcess({ ...env, LOG_LEVEL: 'error' })
  const pid = hurt.child.pid ?? 0
  let killed: number | undefined
  await until('a process to kill', () => {
    killed = children(pid).find(isService)
    return killed !== undefined
  })
  kill(killed)
  await hurt.output.holds(/is ready/)
  expect(hurt.output.text.stdout).toMatch(/"how":"SIGKILL".*Worker process exited before it was ready/)
  expect(await hurt.stop()).toBe(0)
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
