import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { poolSizes } from '../../src/db/pools.ts'
import * as schema from '../../src/db/schema/index.ts'
import { rateLimits } from '../../src/domain/core/rate-limits.ts'
import { within } from '../../src/time/within.ts'
import { createTestApp } from '../support/app.ts'
import { isAnyoneWaiting, untilAllWait } from '../support/waiting.ts'

const counted = memoryCounters()
/** Transactions that were open while somebody counted messages. */
const openMeanwhile: unknown[] = []
const app = await createTestApp({
  counters: {
    ...counted,
    take: async (limit, key) => {
      if (limit === rateLimits.chatOwner) openMeanwhile.push(...(await app.context.slow.execute(openTransactions)))
      return counted.take(limit, key)
    },
  },
})
const openTransactions = sql`
  select query from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()`
afterAll(() => app[Symbol.asyncDispose]())
const alice = await app.user('alice')
const bob = await app.user('bob')
const token = await app.token(['chat:write', 'webhook:write', 'moderation:write'], { user: alice })

const send = (key: string, content: string, who = token) =>
  app.request('POST /v1/chat/messages', {
    token: who,
    body: { room_name: 'alice', content },
    headers: { 'idempotency-key': key },
  })
const count = () => app.context.db.$count(schema.chatMessages)
const countedMessages = async () => {
  const { limit, remaining } = await counted.peek(rateLimits.chatOwner, `${alice.id} alice`)
  return limit - remaining
}

test('six parallel requests with one key are one message, one event, six equal answers', async () => {
  app.wake.mockClear()
  const answers = await Promise.all(Array.from({ length: 6 }, () => send('one', 'hello')))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.status).toBe(201)
  expect([await count(), await app.context.db.$count(schema.events)]).toEqual([1, 1])
  expect(app.wake).toHaveBeenCalledTimes(1)
})

test('six parallel subscriptions with one key are one subscription with one secret', async () => {
  const body = { url: 'https://hooks.customer.com/x', event_types: ['channel.updated'] }
  const before = await app.context.db.$count(schema.webhookSubscriptions)
  const headers = { 'idempotency-key': 'subscribe' }
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => app.request('POST /v1/events/subscriptions', { token, body, headers })),
  )
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect([answers[0]?.status, answers[0]?.body.data.signing_secret]).toEqual([201, expect.stringMatching(/^whsec_/)])
  expect(await app.context.db.$count(schema.webhookSubscriptions)).toBe(before + 1)
  expect(await app.context.db.$count(schema.webhookSecrets)).toBe(1)
})

test('the same key with another body, or for another operation, is refused', async () => {
  expect((await send('one', 'other')).body.error.code).toBe('idempotency_mismatch')
  const ban = await app.request('POST /v1/moderation/bans', {
    token,
    body: { user_id: bob.id },
    headers: { 'idempotency-key': 'one' },
  })
  expect(ban.body.error.code).toBe('idempotency_mismatch')
})

test('the same fields are the same request, in any order and in any encoding', async () => {
  const before = await count()
  const fields = { room_name: 'alice', content: 'in any order' }
  const turned = { content: 'in any order', room_name: 'alice' }
  const multipart = new FormData()
  for (const [name, value] of Object.entries(turned)) multipart.append(name, value)
  const headers = { 'idempotency-key': 'order' }
  const answers = []
  for (const body of [fields, turned, new URLSearchParams(turned), multipart]) {
    answers.push(await app.request('POST /v1/chat/messages', { token, body, headers }))
  }
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.status).toBe(201)
  expect(await count()).toBe(before + 1)
})

test('fields within fields are compared in any order, items of a list in theirs', async () => {
  const fields = { url: 'https://example.com/hook', event_types: ['chat.message.sent', 'channel.updated'] }
  const subscribe = async (key: string, body: object) => {
    const answer = await app.request('POST /v1/events/subscriptions', {
      token,
      body: { ...body },
      headers: { 'idempotency-key': key },
    })
    return answer.body.data?.id ?? answer.body.error.code
  }
  const made = await subscribe('deep', { ...fields, x: { a: 1, b: [{ c: 1, d: 2 }] } })
  expect(await subscribe('deep', { x: { b: [{ d: 2, c: 1 }], a: 1 }, ...fields })).toBe(made)
  const turned = { ...fields, event_types: fields.event_types.toReversed() }
  const others = [
    turned,
    fields,
    { ...fields, x: { a: 1, b: [{ c: 1 }] } },
    { ...fields, x: { a: 1, b: [{ c: 1, d: '2' }] } },
  ]
  for (const other of others) expect(await subscribe('deep', other)).toBe('idempotency_mismatch')
})

test('a key is its user’s own', async () => {
  const before = await count()
  const bobs = await app.token(['chat:write'], { user: bob })
  expect((await send('one', 'hello', bobs)).status).toBe(201)
  expect(await count()).toBe(before + 1)
})

test('a stored answer is for whom may still do what was done', async () => {
  const client = await app.client()
  const body = { url: 'https://example.com/hook', event_types: ['moderation.ban.created'] }
  const subscribe = async (scopes: Parameters<typeof app.token>[0]) =>
    app.request('POST /v1/events/subscriptions', {
      token: await app.token(scopes, { user: alice, client }),
      body,
      headers: { 'idempotency-key': 'same' },
    })
  expect((await subscribe(['webhook:write', 'moderation:read'])).status).toBe(201)
  expect((await subscribe(['webhook:write'])).body.error.code).toBe('idempotency_mismatch')
})

test('a message is counted once, in no transaction: not again by whoever asks at the same time or later, nor where it is refused unsent', async () => {
  const before = await countedMessages()
  await Promise.all(Array.from({ length: 5 }, () => send('counted', 'hello')))
  await send('counted', 'hello')
  await send('counted', 'another')
  await send('uncounted', 'y'.repeat(501))
  expect(await countedMessages()).toBe(before + 1)
  openMeanwhile.length = 0 // those of whoever asked at the same time
  await send('counted-too', 'hello')
  expect(await countedMessages()).toBe(before + 2)
  expect(openMeanwhile).toEqual([])
})

test('nor where the key is another’s once the transaction that had claimed it begins anew, as after a deadlock', async () => {
  const before = await countedMessages()
  const [answer] = await app.context.slow.transaction(async (tx) => {
    await tx.execute(sql`select from channel_sequences where channel_id = ${alice.id} for update`)
    const sent = send('deadlocked', 'hello')
    await expect.poll(() => isAnyoneWaiting(app.context)).toBe(true)
    // who has waited longer sees the deadlock first, and lets go
    await tx.execute(sql`
      insert into idempotency_keys (owner, key, fingerprint, answer, key_id, expires_at)
      select owner, 'deadlocked', sha256('another request'), answer, key_id, expires_at from idempotency_keys where key = 'counted'`)
    return [sent] // as an item, for what is returned itself would be waited for
  })
  expect((await answer)?.body.error.code).toBe('idempotency_mismatch')
  expect(await countedMessages()).toBe(before)
})

test('a failure keeps nothing, so the key is free again', async () => {
  const before = await count()
  expect((await send('two', 'y'.repeat(501))).body.error.code).toBe('message_too_long')
  expect((await send('two', 'short')).status).toBe(201)
  expect(await count()).toBe(before + 1)
})

test('an input that is none is refused in the same words with a key as without, and takes no key from anybody', async () => {
  const { status, text } = await send('none', 'kept')
  for (const [route, body, field] of [
    ['POST /v1/chat/messages', { room_name: 'alice' }, 'content'],
    ['POST /v1/chat/messages', { room_name: 'alice', content: '' }, 'content'],
    ['POST /v1/moderation/bans', { user_id: [] }, 'user_id'],
    ['POST /v1/events/subscriptions', { url: 'https://example.com/hook', event_types: [] }, 'event_types'],
  ] as const) {
    const without = await app.request(route, { token, body })
    const answers = [await app.request(route, { token, body, headers: { 'idempotency-key': 'none' } })]
    answers.push(await app.request(route, { token, body, headers: { 'idempotency-key': `free-${field}` } }))
    expect(without.body.error).toEqual({ code: 'invalid_request', message: expect.stringMatching(`^${field}: `) })
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([400, without.body])
  }
  expect(await send('none', 'kept')).toMatchObject({ status, text })
  expect((await send('free-content', 'taken')).status).toBe(201)
})

test('a key that is none is refused before anything happens', async () => {
  const before = await count()
  for (const key of ['', ' ', 'ä', 'x'.repeat(256)]) {
    const { status, body } = await send(encodeHeader(key), 'x')
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^Idempotency-Key:/)])
  }
  expect(await count()).toBe(before)
})

test('after a day the key is free again', async () => {
  await app.elapse(schema.idempotencyKeys, 'expiresAt', 24 * 3_600_000)
  const before = await count()
  expect((await send('one', 'tomorrow')).status).toBe(201)
  expect(await count()).toBe(before + 1)
})

test('what is kept is sealed: a signing secret is in no row', async () => {
  const { body } = await app.request('POST /v1/events/subscriptions', {
    token,
    body: { url: 'https://example.com/hook', event_types: ['chat.message.sent'] },
    headers: { 'idempotency-key': 'secret' },
  })
  const rows = await app.context.db.select().from(schema.idempotencyKeys)
  expect(body.data.signing_secret).toMatch(/^whsec_/)
  for (const { answer } of rows) expect(answer?.toString('latin1')).not.toContain(body.data.signing_secret)
})

/** A header holds bytes: what fetch would refuse to send is sent as its UTF-8. */
const encodeHeader = (key: string) => Buffer.from(key).toString('latin1')

test('requests of one person, each with a key of its own, wait for each other without a connection that everybody else lacks', async () => {
  const sendMany = () => Array.from({ length: 2 * poolSizes.fast }, (_, n) => send(`in-turn-${n}`, 'hello'))
  const { asked, isAnswered } = await app.context.slow.transaction(async (tx) => {
    await tx.execute(sql`select from channel_sequences where channel_id = ${alice.id} for update`)
    const asked = await untilAllWait(app.context, sendMany, 2) // with that of a key's copies
    const other = app.context.db.execute(sql`select 1`).then(() => true)
    return { asked, isAnswered: await within(1_000, other, () => false) }
  })
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([201]))
  expect(isAnswered).toBe(true)
})

test('an input that is none waits for no turn: it is refused while what was asked before is still being done', async () => {
  const asked = await app.context.slow.transaction(async (tx) => {
    await tx.execute(sql`select from channel_sequences where channel_id = ${alice.id} for update`)
    const held = send('held', 'hello')
    await expect.poll(() => isAnyoneWaiting(app.context)).toBe(true)
    expect((await send('none-in-turn', '')).status).toBe(400)
    return [held] // as an item, for what is returned itself would be waited for
  })
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([201])
})
