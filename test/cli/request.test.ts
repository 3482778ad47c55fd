import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { writeRequestLog } from '../../src/domain/requests/write.ts'
import { createTestApp } from '../support/app.ts'
import { createConsole, secretFiles } from './console.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
await makePartitions(app.context.db, app.clock.at)
const fileWith = secretFiles()
afterAll(() => fileWith[Symbol.dispose]())

const key = await app.token(['channel:read'], { client: await app.client() })
const refused = await app.request('GET /v1/chat/messages?room_name=x', { token: key })
const requestId = refused.headers.get('x-request-id') ?? ''
await writeRequestLog(app.context)

describe('request explain', () => {
  const speaking = (credential: string) => ['--key-file', fileWith(credential), '--url', app.base]

  test('says to an application why its request was refused, and not what it sent', async () => {
    const remote = createConsole() // its commands have the service, and no database
    const { status, stdout } = await remote.run(['request', 'explain', requestId, ...speaking(key)])
    expect(status).toBe(0)
    expect(stdout).toMatch(/answer +403 insufficient_scope/)
    expect(stdout).toMatch(/message +This operation needs the scope "chat:read"/)
    expect(stdout).toMatch(/remedy +/)
    expect(stdout).not.toMatch(/^(sent|address)/m)
  })

  test('says it to the operator with what was sent', async () => {
    const { items } = await createConsole(app.context).answerOf('request', 'explain', requestId)
    expect(items).toMatchObject([
      { code: 'insufficient_scope', address: '127.0.0.1', sent: expect.stringContaining('room_name') },
    ])
  })

  test('says of a path that does not exist, and of a credential that is unknown, why nothing is kept and what to do', async () => {
    const lost = [
      await app.request('GET /v1/nowhere', { token: key }),
      await app.request('GET /v1/users/me', { token: mint('key') }),
    ]
    expect(lost.map(({ status }) => status)).toEqual([404, 401])
    await writeRequestLog(app.context)
    for (const { headers } of lost) {
      const { status, stderr } = await createConsole().run([
        'request',
        'explain',
        headers.get('x-request-id') ?? '',
        ...speaking(key),
      ])
      expect(status).toBe(1)
      expect(stderr).toMatch(/missing or unknown \(401\).* does not exist \(404\).*nothing of it is kept.*what to do/)
      expect(stderr).not.toContain('would have sent')
    }
  })

  test('says what can be an identifier, of one that cannot and of one that we did not give', async () => {
    const { stderr } = await createConsole(app.context).run(['request', 'explain', 'HTTP 404: lost'])
    expect(stderr).toMatch(
      /request_id: must be the X-Request-Id of an answer: a UUID such as .*, or what you sent yourself/,
    )
    expect((await createConsole(app.context).run(['request', 'explain', 'lost'])).stderr).toMatch(
      /no answer with this identifier.*gives UUIDs, such as .*; this one you would have sent yourself/,
    )
  })

  test('calls a network what is one', async () => {
    const client = await app.client()
    const person = await app.user('somebody')
    const token = await app.token(['channel:read'], { user: person, client })
    const { headers } = await app.request('GET /v1/chat/messages?room_name=x', { token })
    await writeRequestLog(app.context)
    const { stdout } = await createConsole(app.context).run(['request', 'explain', headers.get('x-request-id') ?? ''])
    expect(stdout).toMatch(/^network +127\.0\.0\.0\/24$/m)
    expect(stdout).not.toMatch(/^address/m)
  })

  test('has a terminal obey nothing that the service said, whatever it is in', async () => {
    const hostile = '\u001b]0;title\u0007\u001b[2J\u202e\r\n'
    const credential = key
    const ofKey = { id: hostile, name: hostile, last4: hostile, expires_at: hostile, revoked_at: null }
    const texts = {
      request_id: hostile,
      operation: hostile,
      code: hostile,
      message: hostile,
      sent: hostile,
      at: hostile,
    }
    const more = {
      application_id: hostile,
      application_name: hostile,
      cause: hostile,
      remedy: hostile,
      address: hostile,
    }
    const server = createServer((_, response) => {
      const items = [{ ...texts, ...more, key: ofKey, status: 404, duration_ms: 1, credential_id: hostile }]
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ result: { data: items } }))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const asked = ['request', 'explain', 'x', '--key-file', fileWith(credential), '--url', url]
    const { status, stdout, stderr } = await createConsole().run(asked, { isTerminal: true })
    server.close()
    server.closeAllConnections()
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^answer +<bad>404 /m)
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  test('says that nothing is kept of what is another’s, or was never asked', async () => {
    const other = await app.token(['channel:read'], { client: await app.client() })
    const { status, stdout } = await createConsole().run([
      'request',
      'explain',
      requestId,
      '--json',
      ...speaking(other),
    ])
    expect([status, JSON.parse(stdout).error.code]).toEqual([1, 'not_found'])
    expect((await createConsole(app.context).run(['request', 'explain', 'no-such-request'])).status).toBe(1)
  })
})
