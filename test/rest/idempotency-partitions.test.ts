import { afterAll, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp({ now: () => new Date() })
afterAll(() => app[Symbol.asyncDispose]())

test('a request with a key makes the partitions that its rows lack, as one without does', async () => {
  const token = await app.token(['chat:write'], { user: await app.user('alice') })
  const day = app.context.now().toISOString().slice(0, 10).replaceAll('-', '')
  for (const headers of [{}, { 'idempotency-key': 'one' }]) {
    await app.context.db.execute(`drop table chat_messages_${day.slice(0, 6)}, events_${day}`)
    const body = { room_name: 'alice', content: 'hello' }
    expect((await app.request('POST /v1/chat/messages', { token, body, headers })).status).toBe(201)
  }
})
