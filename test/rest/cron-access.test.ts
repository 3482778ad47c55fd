import { afterAll, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

test('the clock’s door is open to this machine alone, unless it knows a secret', async () => {
  const nothing = { ok: true, processed: 0, delivered: 0, failed: 0, retried: 0 }
  for (const method of ['GET', 'POST']) {
    expect(await app.request(`${method} /cron/webhook-deliveries`)).toMatchObject({ status: 200, body: nothing })
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
      const proxied = await app.request(`${method} /cron/webhook-deliveries`, { headers: { [header]: '127.0.0.1' } })
      expect([proxied.status, proxied.body.error.code]).toEqual([401, 'unauthorized'])
    }
  }
  await using secret = await createTestApp({ cronSecret: 'tick-tock' })
  const asked = async (authorization?: string) => {
    const headers = authorization ? { authorization } : {}
    return (await secret.request('GET /cron/webhook-deliveries', { headers })).status
  }
  expect(await asked()).toBe(401)
  expect(await asked('Bearer tick')).toBe(401)
  expect(await asked('Basic tick-tock')).toBe(401)
  expect(await asked('Bearer tick-tock')).toBe(200)
})

test('it is shut for what came through any proxy, or from another website', async () => {
  for (const name of ['via', 'x-forwarded-host', 'x-forwarded-proto', 'cf-connecting-ip']) {
    const { status } = await app.request('POST /cron/webhook-deliveries', { headers: { [name]: 'x' } })
    expect(status, name).toBe(401)
  }
  const foreign = await app.request('POST /cron/webhook-deliveries', { headers: { 'sec-fetch-site': 'cross-site' } })
  expect(foreign.status).toBe(401)
})
