import { expect, test } from 'vitest'
import { withoutSecrets } from '../../src/telemetry/redaction.ts'
import { createTestApp } from '../support/app.ts'
import { credentials } from '../support/flows.ts'

type Line = { requestId: string; operation?: string; clientId?: string; status: number; durationMs: number }

/** The line of a request; it is written when the connection has seen the end of the answer, which may be after the caller. */
async function lineOf(app: { lines: string[] }, requestId: string): Promise<Line> {
  for (;;) {
    const line = app.lines.map((text): Line => JSON.parse(text)).find((one) => one.requestId === requestId)
    if (line) return line
    await new Promise(setImmediate)
  }
}

test('each request has one line with its operation, its application, its status and how long it took', async () => {
  await using app = await createTestApp()
  const client = await app.client()
  const token = await app.token(['channel:read', 'chat:write'], { user: await app.user('ada'), client })
  const clientId = client.id
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const grant = (secret = client.secret) =>
    String(new URLSearchParams({ grant_type: 'client_credentials', ...credentials({ ...client, secret }) }))
  const said = { token, body: { room_name: 'ada', content: 'hunter2' } }
  const asked = [
    ['GET /v1/channels/ada', { token }, { operation: 'GET /v1/channels/{slug}', clientId, status: 200 }],
    ['POST /v1/chat/messages', said, { operation: 'POST /v1/chat/messages', clientId, status: 201 }],
    // without the scope it is refused, and still known whose it is
    ['GET /v1/events/subscriptions', { token }, { operation: 'GET /v1/events/subscriptions', clientId, status: 403 }],
    ['GET /v1/users/me', { token: 'hunter2' }, { operation: 'GET /v1/users/me', clientId: undefined, status: 401 }],
    ['GET /v1/nowhere', {}, { operation: '(none)', clientId: undefined, status: 404 }],
    ['GET /trpc/channels.list?input=%7B%7D', { token }, { operation: 'GET /trpc', clientId, status: 200 }],
    ['POST /oauth/token', { headers: form, body: grant() }, { operation: 'POST /oauth/token', clientId, status: 200 }],
    [
      'POST /oauth/token',
      { headers: form, body: grant('hunter2') },
      { operation: 'POST /oauth/token', clientId: undefined, status: 401 },
    ],
  ] as const
  for (const [index, [route, init, expected]] of asked.entries()) {
    const headers = { ...('headers' in init && init.headers), 'x-request-id': `r${index}` }
    await app.request(route, { ...init, headers })
    const { operation, clientId, status, durationMs } = await lineOf(app, `r${index}`)
    expect({ operation, clientId, status }).toEqual(expected)
    expect(durationMs).toBeGreaterThan(0)
  }
  expect(app.lines).toHaveLength(asked.length)
  expect(app.lines.join('')).not.toMatch(/hunter2|lsat_/)
})

test('a token in a path is not logged, however it is encoded', async () => {
  await using app = await createTestApp()
  const secret = 'a1'.repeat(24)
  for (const [index, path] of [
    `lsat_${secret}`,
    `%6csat_${secret}`,
    `lsat%5F${secret}`,
    `x_lsat_%61${secret}`,
  ].entries()) {
    const headers = { 'x-request-id': `r${index}` }
    await app.request(`GET /v1/channels/${path}`, { headers })
    await lineOf(app, `r${index}`)
  }
  expect(app.lines).toHaveLength(4)
  expect(app.lines.map(withoutSecrets).join('')).not.toContain(secret)
})

test('who asks whether all is well fills no log', async () => {
  await using app = await createTestApp()
  await app.request('GET /health/ready')
  await app.request('GET /health/', { headers: { 'x-request-id': 'well' } })
  await app.request('GET /v1/nowhere', { headers: { 'x-request-id': 'last' } })
  await lineOf(app, 'last')
  expect(app.lines).toHaveLength(1)
})
