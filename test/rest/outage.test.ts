import { expect, test } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { createTestApp } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'

test('a database that goes away is 503 in the envelope, and its return ends that without a restart', async () => {
  await using database = await createTestDatabase()
  await using proxy = await createDatabaseProxy(database.target)
  await using pools = openPools(proxy.target)
  await using app = await createTestApp({ db: pools.db, slow: pools.slow, replica: pools.replica })
  const token = await app.token(['channel:read', 'chat:write'], { user: await app.user('ada') })
  const message = { token, body: { room_name: 'ada', content: 'hello' } }
  const asked = () =>
    Promise.all([
      app.request('GET /v1/channels/ada', { token }),
      app.request('POST /v1/chat/messages', message),
      app.request('POST /v1/chat/messages', { ...message, headers: { 'idempotency-key': 'once' } }),
      app.request('GET /health/ready'),
      app.request('GET /trpc/channels.list?input=%7B%7D', { token }),
    ])
  expect((await asked()).map(({ status }) => status)).toEqual([200, 201, 201, 200, 200])

  await proxy.takeAway()
  const refused = await asked()
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
  for (const { body, headers } of refused.slice(0, 4)) {
    expect(body).toEqual({ error: { code: 'unavailable', message: expect.any(String) } })
    expect(headers.get('retry-after')).toBe('1')
  }
  expect((await app.request('GET /health/')).status).toBe(200)

  await proxy.giveBack()
  const back = performance.now()
  expect((await asked()).map(({ status }) => status)).toEqual([200, 201, 201, 200, 200])
  expect(performance.now() - back).toBeLessThan(2000)
})
