import { afterAll, describe, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
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
