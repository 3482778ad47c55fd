import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { deleteMessage } from '../../src/domain/chat.ts'
import { lowerBound } from '../../src/domain/core/ids.ts'
import type { EventLine, EventTail } from '../../src/domain/core/live.ts'
import { Signal } from '../../src/domain/events/streams/signal.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { appRouter } from '../../src/routers/index.ts'
import type { OperationMeta } from '../../src/routers/operation-meta.ts'
import { caller } from '../support/flows.ts'
import { contentOf, createFeedApp } from './support/feed.ts'

const app = await createFeedApp()
afterAll(() => app[Symbol.asyncDispose]())
const { ada, loadLimit, userToken: token, as, say, page, refused, stream } = app

describe('streams', () => {
  test('carry the payload of the webhook and a cursor, by which they and pages go on', async () => {
    using live = await stream('/v1/events?types=chat.message.sent,chat.message.deleted')
    expect(live.response.headers.get('x-accel-buffering')).toBe('no')
    const [{ id: start }] = await live.take(1)
    const { id } = await say('live')
    await deleteMessage(as(ada), id)
    const [sent, deleted] = await live.take(2)
    expect([sent?.event, deleted?.event]).toEqual(['chat.message.sent', 'chat.message.deleted'])
    using resumed = await stream('/v1/events?since=2026-01-02T00:00:00Z', token, { 'last-event-id': sent?.id ?? '' })
    await resumed.take(1)
    expect(await resumed.take(1)).toEqual([deleted])
    const { text } = await page(`/v1/events?after=${start}`)
    expect(text).toBe(`{"data":[${sent?.data},${deleted?.data}]}`)
  })

  test('end within a second of their credential, and say so', async () => {
    app.context.credentials.trust()
    const client = await app.client()
    const revoked = await app.token(['chat:read'], { user: ada, client })
    using live = await stream('/v1/events', revoked)
    await live.take(1)
    await revokeAllowed(as(ada), { application_id: client.id })
    const begun = performance.now()
    const [end] = await live.take(1)
    expect([end?.event, JSON.parse(end?.data ?? '').reason]).toEqual(['end', 'revoked'])
    expect(performance.now() - begun).toBeLessThan(2_000)
    expect(await refused('/v1/events', revoked)).toEqual([401, 'invalid_token'])
    app.context.credentials.distrust()
  })

  test('that open after their call was refused are left at once', async () => {
    const credential = await app.token(['chat:read'], { user: await app.user('fay') })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const [asked, given, left] = [new Signal(), new Signal(), new Signal()]
    const line: EventLine = { place: 0, follow() {}, leave() {}, release: left.notify }
    const tail: EventTail = {
      async hold() {
        asked.notify()
        await new Promise((resolve) => setImmediate(resolve))
        await given.wait(60_000)
        return line
      },
    }
    const reader = caller({ authorization: `Bearer ${credential}` })
    const call = appRouter.createCaller({ ...app.context, tail, caller: reader }).events.follow({})
    await asked.wait(60_000)
    vi.advanceTimersByTime(9_500)
    await expect(call).rejects.toMatchObject({ message: expect.stringContaining('cannot answer') })
    given.notify()
    await left.wait(60_000)
    vi.useRealTimers()
  })

  test('waits at /trpc are streams as well, and have the time for it', async () => {
    const { deadlineMs } = appRouter.events.read._def.meta as OperationMeta
    expect(deadlineMs).toBeGreaterThan(25_000)
    const input = encodeURIComponent(JSON.stringify({ wait: 25, types: 'chat.message.sent' }))
    const waiting = app.request(`GET /trpc/events.read?input=${input}`, { token })
    while (loadLimit.streams === 0) await new Promise(setImmediate)
    expect(loadLimit.requests).toBe(0)
    await say('at /trpc')
    expect((await waiting).body.result.data.events).toHaveLength(1)
  })

  test('whose events cannot be shown are ended alone', async () => {
    const gus = await app.user('gus')
    const credential = await app.token(['chat:read'], { user: gus })
    const input = encodeURIComponent('{"room_name":"gus"}')
    using broken = await stream(`/trpc/chat.watch?input=${input}`, credential)
    await broken.take(2)
    using whole = await stream('/v1/events', credential)
    await whole.take(1)
    await insertShapeless(gus, 1, 10)
    await say('a message', gus)
    expect((await whole.take(2)).map(({ data }) => contentOf(JSON.parse(data ?? '')))).toEqual([
      'xxxxxxxxxx',
      'a message',
    ])
    await broken.ended()
  })

  test('count together with those who wait, and a request takes no place of theirs', async () => {
    const cal = await app.user('cal')
    const credential = await app.token(['chat:read'], { user: cal })
    const open = await Promise.all(Array.from({ length: 20 }, () => stream('/v1/events', credential)))
    await Promise.all(open.map((one) => one.take(1)))
    expect([loadLimit.streams, loadLimit.requests]).toEqual([20, 0])
    const tooMany = await app.request('GET /v1/events?wait=5', { token: credential })
    expect([tooMany.status, tooMany.headers.get('retry-after')]).toEqual([429, '5'])
    expect(['limit', 'remaining', 'reset'].map((name) => tooMany.headers.get(`ratelimit-${name}`))).toEqual([
      '20',
      '0',
      '5',
    ])
    expect(tooMany.headers.get('ratelimit-policy')).toMatch(/^"default";.+, "streams";q=20;qu="concurrent-requests"$/)
    await page('/v1/events', credential)
    for (const one of open) one[Symbol.dispose]()
  })

  test('who reads nothing is cut off at a mebibyte and resumes, instead of being kept in memory', async () => {
    const dee = await app.user('dee')
    const credential = await app.token(['chat:read'], { user: dee })
    using slow = await stream('/v1/events', credential)
    const [{ id: start }] = await slow.take(1)
    slow.pause()
    await insertShapeless(dee, 400, 52_000)
    slow.resume()
    const seen = await slow.untilEnd()
    expect(JSON.parse(seen.at(-1)?.data ?? '').reason).toBe('recycled')
    using resumed = await stream('/v1/events', credential, { 'last-event-id': seen.at(-2)?.id ?? String(start) })
    await resumed.take(1)
    expect(await resumed.take(1)).toHaveLength(1)
  })
})

/** Events without all fields of a message, in one statement. Twenty mebibytes are more than the buffers of two sockets take. */
async function insertShapeless({ id, username }: typeof ada, count: number, length: number) {
  await app.context.db.execute(sql`
    with counted as (
      insert into channel_sequences (channel_id, last) values (${id}, ${count})
      on conflict (channel_id) do update set last = channel_sequences.last + ${count} returning last - ${count} as before
    )
    insert into events (id, channel_id, sequence, type, occurred_at, payload)
    select ${lowerBound('event', app.context.now())} || '7z8z' || lpad(n::text, 12, '0'), ${id}, before + n, 'chat.message.sent', now(),
      json_build_object('channel', json_build_object('id', ${id}::text, 'username', ${username}::text),
        'sequence', before + n, 'data', json_build_object('content', repeat('x', ${length})))
    from counted, generate_series(1, ${count}::int) n`)
  app.context.wake(id)
}
