import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPools, type Pools } from '../../src/db/pools.ts'
import { readUpToDate } from '../../src/db/replica.ts'
import type { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { temporaryFolder } from '../support/folder.ts'
import { run, type Service, startProcess, startService } from '../support/process.ts'
import { startReceiver, verifyReceived } from '../support/receiver.ts'
import { startBalancer } from './balancer.ts'
import { end, missingServers, type Servers, startServers } from './servers.ts'

/*
 * Two API processes that know nothing of each other, a worker, PostgreSQL with a streaming replica, PgBouncer in
 * transaction mode and Redis. `ACCEPTANCE=FILE npm run test:scale` also runs that file's cases against the pair.
 */
const missing = missingServers()
if (missing) process.stdout.write(`skipped: two API processes, a worker and a replica: ${missing}\n`)
const scale = test.skipIf(missing !== undefined)

const folder = temporaryFolder()
let servers: Servers
let pair: Service[] = []
let worker: Awaited<ReturnType<typeof startProcess>>
let balancer: Awaited<ReturnType<typeof startBalancer>>
let pools: Pools
let demo: DemoCredentials

beforeAll(async () => {
  if (missing) return
  servers = await startServers()
  balancer = await startBalancer(() => pair.map(({ port }) => port))
  const shared = {
    DATABASE_URL: servers.pooled,
    DATABASE_POOLER: 'transaction',
    DATABASE_DIRECT_URL: servers.direct,
    DATABASE_REPLICA_URL: servers.copy,
    REDIS_URL: servers.counters,
    SECRET_KEYS: randomBytes(32).toString('base64url'),
    PUBLIC_URL: balancer.base,
    WEBHOOK_ALLOW_PRIVATE: 'on',
    DATA_DIR: folder.path,
  }
  const api = { ...shared, WEBHOOK_WORKER: 'off' }
  const first = await startService({ ...api, DEMO_DATA: 'on' })
  pair = [first, await startService(api)]
  worker = await startProcess(shared, ['bin/developer-api.mjs', 'worker'])
  demo = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8'))
  pools = openPools(servers.direct, { replica: servers.copy })
}, 120_000)

afterAll(async () => {
  if (missing) return
  await pools[Symbol.asyncDispose]()
  for (const process of [...pair, worker]) await process[Symbol.asyncDispose]()
  balancer[Symbol.dispose]()
  await servers[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
}, 60_000)

const at = (n: number, path: string, init: RequestInit = {}) => fetch(`${pair[n]?.base}${path}`, init)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const asStreamer = () => bearer(demo.users.streamer.access_token)
const say = (n: number, content: string) =>
  at(n, '/v1/chat/messages', {
    method: 'POST',
    headers: asStreamer(),
    body: new URLSearchParams({ room_name: 'streamer', content }),
  })

scale('one rate limit is counted over both', async () => {
  const remaining: number[] = []
  for (let n = 0; n < 8; n++) {
    const { status, headers } = await at(n % 2, '/v1/channels/streamer', { headers: bearer(demo.api_key) })
    expect(status).toBe(200)
    remaining.push(Number(headers.get('ratelimit-remaining')))
  }
  const [first = 0] = remaining
  expect(remaining).toEqual(remaining.map((_, n) => first - n))
})

scale('what one revokes, the other refuses within a second, though it knew it', async () => {
  const { client } = demo
  const grant = { grant_type: 'client_credentials', client_id: client.client_id, client_secret: client.client_secret }
  const post = (n: number, path: string, form: Record<string, string>) =>
    at(n, path, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = (await (await post(0, '/oauth/token', grant)).json()) as { access_token: string }
  const status = async () => (await at(1, '/v1/channels/', { headers: bearer(token) })).status
  expect(await status()).toBe(200)
  const { grant_type: _, ...credentials } = grant
  expect((await post(0, '/oauth/revoke', { token, ...credentials })).status).toBe(200)
  const revokedAt = performance.now()
  while ((await status()) !== 401) expect(performance.now() - revokedAt).toBeLessThan(1_000)
})

scale('a message that is sent to one is seen live by who watches the other', async () => {
  const stop = new AbortController()
  const input = encodeURIComponent(JSON.stringify({ room_name: 'streamer' }))
  const { body } = await at(1, `/trpc/chat.watch?input=${input}`, { headers: asStreamer(), signal: stop.signal })
  const content = `over the fence ${randomBytes(4).toString('hex')}`
  let seen = ''
  let isSent = false
  for await (const chunk of body ?? []) {
    seen += Buffer.from(chunk).toString()
    if (!isSent) expect((await say(0, content)).status).toBe(201)
    isSent = true
    if (seen.includes(content)) break
  }
  expect(seen).toContain(content)
  stop.abort()
})

scale('what the API commits is delivered by the worker', async () => {
  await using receiver = await startReceiver()
  const made = await at(0, '/v1/events/subscriptions', {
    method: 'POST',
    headers: { ...asStreamer(), 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, event_types: ['chat.message.sent'] }),
  })
  expect(made.status).toBe(201)
  const { data } = (await made.json()) as { data: { signing_secret: string } }
  expect((await say(1, 'for the worker')).status).toBe(201)
  const [delivered] = await receiver.received(1)
  if (delivered) verifyReceived(delivered, data.signing_secret)
})

scale(
  'the replica answers, and never without what was written before',
  async () => {
    const { db } = pools
    await db.execute('create table writes (n int)')
    const from = { replica: 0, primary: 0 }
    let stale = 0
    for (let n = 1; n <= 300; n++) {
      await db.execute(sql`insert into writes values (${n})`)
      const read = (one: typeof db) =>
        one.execute<{ n: number; is_replica: boolean }>(
          'select max(n) as n, pg_is_in_recovery() as is_replica from writes',
        )
      const [row] = await readUpToDate(pools, read)
      if (row?.n !== n) stale++
      from[row?.is_replica ? 'replica' : 'primary']++
    }
    expect({ stale, byReplica: from.replica > 0 }, JSON.stringify(from)).toEqual({ stale: 0, byReplica: true })
  },
  60_000,
)

const acceptance = process.env.ACCEPTANCE
if (!acceptance) process.stdout.write('skipped: the acceptance cases against the pair; ACCEPTANCE=FILE runs them\n')
test.skipIf(missing !== undefined || !acceptance)(
  'the acceptance cases hold over both',
  async () => {
    const BASE_URL = balancer.base
    const DEMO_JSON = join(folder.path, 'demo.json')
    const { stdout } = await run(process.execPath, [acceptance ?? '', 'contract', 'oauth', 'webhooks'], {
      BASE_URL,
      DEMO_JSON,
    })
    process.stdout.write(stdout)
    expect(stdout).toMatch(/\d+ passed, 0 failed\s*$/)
  },
  600_000,
)

scale('without the replica the primary answers; without Redis each counts alone', async () => {
  await end(servers.replica)
  await end(servers.redis)
  const read = (one: Pools['db']) => one.execute<{ n: number }>('select max(n) as n from writes')
  expect([...(await readUpToDate(pools, read))]).toEqual([{ n: 300 }])
  for (const n of [0, 1, 0, 1]) expect((await say(n, 'still here')).status).toBe(201)
})
