import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { Browser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import { createDatabaseProxy, urlOf } from '../support/database-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000 })

/** For so long a process remembers whom a credential stands for, unless it hears that this has ended. */
const REMEMBERED_MS = 5_000

type Person = DemoCredentials['users']['viewer']

async function logIn(base: string, { username, password }: Person): Promise<Browser> {
  const browser = new Browser(base)
  await browser.submit(await browser.get('/login'), '/login', { username, password })
  return browser
}

/** Calls as a page of ours does. */
async function call(base: string, browser: Browser, name: string, input?: object) {
  const headers = { cookie: `sid=${browser.cookies.get('sid')}`, origin: base, 'content-type': 'application/json' }
  const path = `${base}/trpc/${name}`
  const response = await (input
    ? fetch(path, { method: 'POST', body: JSON.stringify(input), headers })
    : fetch(`${path}?input={}`, { headers }))
  const { result } = (await response.json()) as { result?: { data?: { id: string; key: string } } }
  return { status: response.status, id: result?.data?.id, key: result?.data?.key ?? '' }
}

test('an account that is closed at one service is refused at once by another on its database, by whatever it was let in a moment ago', async () => {
  await using database = await createTestDatabase()
  await using proxy = await createDatabaseProxy(database.target)
  using home = temporaryFolder()
  using away = temporaryFolder()
  const env = { DATABASE_URL: urlOf(proxy.target), SECRET_KEYS: 'k'.repeat(32) }
  await using one = await startService({ ...env, DATA_DIR: home.path, DEMO_DATA: 'on' })
  await using other = await startService({ ...env, DATA_DIR: away.path })
  const demo = DemoCredentials.parse(JSON.parse(readFileSync(join(home.path, 'demo.json'), 'utf8')))
  const { viewer } = demo.users

  const [there, here] = [await logIn(one.base, viewer), await logIn(other.base, viewer)]
  const application = { name: 'Mine', confidential: true, redirect_uris: ['https://a.example/callback'] }
  const made = await call(one.base, there, 'applications.create', application)
  const forKey = { application_id: made.id, name: 'CI', scopes: ['channel:read'] }
  const own = await call(one.base, there, 'applications.keys.create', forKey)

  const asked = async (path: string, token: string, accept = 'application/json') =>
    fetch(other.base + path, { headers: { authorization: `Bearer ${token}`, accept } })
  const stream = await asked('/v1/events', viewer.access_token, 'text/event-stream')
  const heard = stream.text()
  const answers = async () => [
    (await asked('/v1/users/me', viewer.access_token)).status,
    (await asked('/v1/channels/', own.key)).status,
    (await call(other.base, here, 'account.me')).status,
    (await asked(`/v1/channels/${viewer.username}`, demo.api_key)).status,
  ]
  const rememberedAt = performance.now()
  expect([stream.status, ...(await answers())]).toEqual([200, 200, 200, 200, 200])

  expect((await call(one.base, there, 'account.closing.close', { username: viewer.username })).status).toBe(200)
  await expect.poll(answers, { interval: 20, timeout: REMEMBERED_MS }).toEqual([401, 401, 401, 404])
  expect(
    performance.now() - rememberedAt,
    'by what is announced, not because nothing is remembered for longer',
  ).toBeLessThan(REMEMBERED_MS)
  expect(await heard).toContain('"reason":"revoked"')
})
