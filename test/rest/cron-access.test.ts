import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const SECRET = 'a-secret-for-the-cron-job'
const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

test('cron is open to this machine alone, unless it knows a secret', async () => {
  const nothing = { ok: true, processed: 0, delivered: 0, failed: 0, retried: 0 }
  for (const method of ['GET', 'POST']) {
    expect(await app.request(`${method} /cron/webhook-deliveries`)).toMatchObject({ status: 200, body: nothing })
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
      const proxied = await app.request(`${method} /cron/webhook-deliveries`, { headers: { [header]: '127.0.0.1' } })
      expect([proxied.status, proxied.body.error.code]).toEqual([401, 'unauthorized'])
    }
  }
  await using secret = await createTestApp({ cronAccess: { secret: SECRET } })
  const asked = async (authorization?: string) => {
    const headers = authorization ? { authorization } : {}
    return (await secret.request('GET /cron/webhook-deliveries', { headers })).status
  }
  expect(await asked()).toBe(401)
  expect(await asked(`Bearer ${SECRET.slice(1)}`)).toBe(401)
  expect(await asked(`Basic ${SECRET}`)).toBe(401)
  expect(await asked(`Bearer ${SECRET}`)).toBe(200)
})

test('it is shut for what came through any proxy, or from another website', async () => {
  for (const name of ['via', 'x-forwarded-host', 'x-forwarded-proto', 'cf-connecting-ip']) {
    const { status } = await app.request('POST /cron/webhook-deliveries', { headers: { [name]: 'x' } })
    expect(status, name).toBe(401)
  }
  const foreign = await app.request('POST /cron/webhook-deliveries', { headers: { 'sec-fetch-site': 'cross-site' } })
  expect(foreign.status).toBe(401)
})

/** The status of a request with a `Host` of one's choice, which fetch does not allow. */
const statusFor = (host: string) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(`${app.base}/cron/webhook-deliveries`, { method: 'POST', headers: { host } }, (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject)
    })
    sent.on('error', reject).end()
  })

test('without a secret it is shut under any name but this machine’s own: a website’s name may lead here', async () => {
  const port = new URL(app.base).port
  for (const host of ['localhost', '127.0.0.1', '[::1]', `LOCALHOST:${port}`, '127.0.0.2:80']) {
    expect([host, await statusFor(host)]).toEqual([host, 200])
  }
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.1',
  ]) {
    expect([host, await statusFor(host)]).toEqual([host, 401])
  }
})

test('behind a proxy or with a public address it is shut to all without a secret, this machine too', async () => {
  await using shut = await createTestApp({ cronAccess: 'nobody' })
  const { status, body } = await shut.request('POST /cron/webhook-deliveries')
  expect([status, body.error.code]).toEqual([401, 'unauthorized'])
})

test('wrong secrets are throttled by address, and do not stop who has the right one', async () => {
  await using guarded = await createTestApp({ cronAccess: { secret: SECRET }, trustProxy: 1 })
  const asked = async (token: string, address: string) => {
    const headers = { 'x-forwarded-for': address }
    const { status, headers: answer } = await guarded.request('POST /cron/webhook-deliveries', { token, headers })
    return status === 429 ? `429 ${Number(answer.get('retry-after')) > 0}` : status
  }
  const guesses = []
  for (let n = 0; n < 22; n++) guesses.push(await asked(`guess-${n}`, '203.0.113.9'))
  expect(guesses).toEqual([...Array(20).fill(401), '429 true', '429 true'])
  expect(await asked('guess', '203.0.113.10')).toBe(401)
  expect(await asked(SECRET, '203.0.113.9')).toBe(200)
})

test('it does not exist at /trpc', async () => {
  for (const route of [
    'POST /trpc/internal.workByPost',
    'POST /trpc/internal.workByGet',
    'GET /trpc/internal.workByGet',
  ]) {
    expect((await app.request(route, route.startsWith('POST') ? { body: {} } : {})).status, route).toBe(404)
  }
})
