import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import type { DatabaseTarget } from '../../src/db/client.ts'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { createTestDatabase } from '../support/database.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000 })

const NGINX = '/usr/sbin/nginx'
const missing = existsSync(NGINX) ? undefined : 'needs the package nginx-light'
const CALLERS = 6

/** `ops/nginx/developer-api.conf` as it stands, but for certificates and ports. */
async function startNginx(folder: string, ports: readonly [number, number]) {
  const port = await freePort()
  const site = readFileSync('ops/nginx/developer-api.conf', 'utf8')
    .replace('127.0.0.1:3000', `127.0.0.1:${ports[0]}`)
    .replace('127.0.0.1:3001', `127.0.0.1:${ports[1]}`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_certificate.*$/gm, '')
    .replace('/var/log/nginx/', `${folder}/`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const file = join(folder, 'nginx.conf')
  const http = `http { access_log off; ${paths.join(' ')}\n${site} }`
  const owner = process.getuid?.() === 0 ? 'user root; ' : ''
  writeFileSync(file, `${owner}daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {} ${http}`)
  const child = spawn(NGINX, ['-e', `${folder}/error.log`, '-c', file], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  return {
    base: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The status of one request on connections that are kept, as browsers keep theirs. */
function ask(agent: Agent, url: string, token: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' }
    const sent = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' }, (response) => {
      const { statusCode = 0 } = response
      text(response).then((said) => resolve(statusCode < 300 ? String(statusCode) : `${statusCode} ${said}`), reject)
    })
    sent.on('error', reject).end(body)
  })
}

test.skipIf(missing)(
  `behind nginx two services are restarted one after the other, and no request is lost${missing ? ` (${missing})` : ''}`,
  async () => {
    using folder = temporaryFolder()
    await using database = await createTestDatabase()
    await using proxy = await createDatabaseProxy(database.target)
    const ports = [await freePort(), await freePort()] as const
    await using nginx = await startNginx(folder.path, ports)
    const env = {
      DATABASE_URL: addressOf(proxy.target),
      SECRET_KEYS: 'k'.repeat(32),
      DATA_DIR: folder.path,
      PUBLIC_URL: nginx.base,
      TRUST_PROXY: '1',
      RATE_LIMITS: 'off',
      DEMO_DATA: 'on',
      LOG_LEVEL: 'warn',
    }
    const start = (n: 0 | 1) => startService({ ...env, PORT: String(ports[n]) })
    const running = [await start(0), await start(1)]
    await using _stopped = {
      [Symbol.asyncDispose]: async () => {
        for (const service of running) await service[Symbol.asyncDispose]()
      },
    }
    const { users } = DemoCredentials.parse(JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')))
    const { access_token: token } = users.streamer

    const counts: Record<string, number> = {}
    let isOver = false
    const agent = new Agent({ keepAlive: true })
    const call = async () => {
      for (let n = 0; !isOver; n++) {
        const body =
          n % 2 === 0 ? undefined : new URLSearchParams({ room_name: 'streamer', content: `${n}` }).toString()
        const path = body === undefined ? '/v1/channels/streamer' : '/v1/chat/messages'
        const status = await ask(agent, nginx.base + path, token, body)
        counts[status] = (counts[status] ?? 0) + 1
      }
    }
    const calling = Promise.all(Array.from({ length: CALLERS }, call))
    for (const n of [0, 1] as const) {
      expect(await running[n]?.stop()).toBe(0)
      running[n] = await start(n)
      expect(running[n]?.isReady).toBe(true)
    }
    isOver = true
    await calling
    await ask(agent, `${nginx.base}/v1/events?key=lsok_hunter2`, token)
    agent.destroy()

    expect(counts).toEqual({ 200: expect.any(Number), 201: expect.any(Number) })
    expect(counts['201']).toBeGreaterThan(100)
    const logged = readFileSync(join(folder.path, 'developer-api.log'), 'utf8')
    expect(logged).toContain('"GET /v1/events" 400')
    expect(logged).not.toContain('hunter2')
  },
)

test.skipIf(missing)(
  `what nginx logs of requests that nobody answers has no query${missing ? ` (${missing})` : ''}`,
  async () => {
    using folder = temporaryFolder()
    const ports = [await freePort(), await freePort()] as const
    const agent = new Agent()
    {
      await using nginx = await startNginx(folder.path, ports)
      await expect.poll(() => ask(agent, `${nginx.base}/`, 'x').then(Boolean, () => false)).toBe(true)
      for (const path of [
        '/v1/events?key=lsok_hunter2',
        '/reset?token=hunter2',
        '/trpc/people.invitation?input=hunter2',
      ])
        expect(await ask(agent, nginx.base + path, 'x')).toMatch(/^502 /)
      expect(await ask(agent, `${nginx.base}/verify?token=hunter2`, 'x', 'x'.repeat(70_000))).toMatch(/^413 /)
    }
    const [access, error] = ['developer-api.log', 'error.log'].map((name) =>
      readFileSync(join(folder.path, name), 'utf8'),
    )
    expect(access).toMatch(
      new RegExp(`"GET /" 502 .* upstream="127.0.0.1:${ports[0]}, 127.0.0.1:${ports[1]}" answered="502, 502"`),
    )
    expect(access).not.toContain('hunter2')
    expect(error).not.toContain('hunter2')
  },
)

const addressOf = (target: DatabaseTarget) =>
  typeof target === 'string' ? target : `postgres://${target.user}@${target.host}:${target.port}/${target.database}`
