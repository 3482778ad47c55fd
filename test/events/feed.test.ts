import { afterAll, describe, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { emitEvent } from '../../src/domain/events/emit.ts'
import { feedScopes, readScopes } from '../../src/domain/events/feed/readable-types.ts'
import { DAY_MS } from '../../src/time/durations.ts'
import { contentOf, createFeedApp } from './support/feed.ts'

const app = await createFeedApp()
afterAll(() => app[Symbol.asyncDispose]())
const { ada, bob, userToken: token, applicationToken: application, say, page, refused, stream } = app

test('the operation wants one of all scopes that read something', () => {
  expect([...feedScopes].toSorted()).toEqual([...new Set(Object.values(readScopes).flat())].toSorted())
})

test('the credential is judged before what is asked, and counted', async () => {
  for (const query of ['limit=x', 'types=', 'page=2', 'since=%FF']) {
    const asked = await Promise.all(
      [undefined, 'lsat_x', token].map((credential) => app.request(`GET /v1/events?${query}`, { token: credential })),
    )
    expect(asked.map(({ status }) => status)).toEqual([401, 401, 400])
    expect(asked.map(({ headers }) => headers.has('ratelimit'))).toEqual([false, false, true])
  }
})

test('an application is told of a scope that it lacks before it is told that it stands for nobody', async () => {
  const types = 'types=moderation.ban.created'
  expect(await refused(`/v1/events?${types}`, await app.token(['chat:read']))).toEqual([403, 'insufficient_scope'])
  expect(await refused(`/v1/events?${types}`, await app.token(['moderation:read']))).toEqual([
    403,
    'user_token_required',
  ])
})

describe('pages', () => {
  test('from a time to come begin now, on every page', async () => {
    const since = new Date(app.context.now().getTime() + DAY_MS).toISOString()
    const first = await page(`/v1/events?types=chat.message.sent&since=${since}`)
    await say('sooner than that')
    expect([first.said, (await page(first.next)).said]).toEqual([[], ['sooner than that']])
  })

  test('begin now, lead on always, and are for no cache: each event once, whatever the size of a page', async () => {
    await say('before')
    const first = await page('/v1/events?limit=2&types=chat.message.sent')
    expect([first.said, first.headers.get('etag'), first.headers.get('cache-control')]).toEqual([[], null, 'no-store'])
    for (const content of ['a', 'b', 'c']) await say(content)
    const second = await page(first.next)
    const third = await page(second.next)
    const last = await page(third.next)
    expect([second.said, third.said, last.said]).toEqual([['a', 'b'], ['c'], []])
    expect((await app.request(`HEAD ${last.next}`, { token })).headers.get('link')).toContain('rel="next"')
  })

  test('go back to a time, to the millisecond, and not to two beginnings at once', async () => {
    await say('too early')
    const since = app.context.now().toISOString()
    await say('later')
    const found = await page(`/v1/events?since=${since}`)
    expect(found.said).toEqual(['later'])
    expect(await refused(`/v1/events?since=${since}&after=${found.cursor}`, token)).toEqual([400, 'invalid_request'])
    expect(await refused('/v1/events?since=2026-02-30T00:00:00Z', token)).toEqual([400, 'invalid_request'])
  })

  test('are held back while nothing happens, and come at once when something does', async () => {
    const begun = await page('/v1/events?types=chat.message.sent')
    const waiting = page(`${begun.next}&wait=20`)
    await say('at last')
    expect((await waiting).said).toEqual(['at last'])
  })
})

describe('what was said over several days', async () => {
  const dan = await app.user('dan')
  const credential = await app.token(['chat:read'], { user: dan })
  const days = ['five', 'four', 'three', 'two', 'one', 'no']
  const today = app.context.now()
  await makePartitions(app.context.db, today, { back: 7 })
  for (const [n, day] of days.entries()) {
    app.clock.at = new Date(today.getTime() - (days.length - 1 - n) * DAY_MS)
    await say(`${day} days ago`, dan)
  }
  app.clock.at = new Date(today.getTime() + 1_000)
  const since = `since=${new Date(today.getTime() - 5.5 * DAY_MS).toISOString()}`
  const all = days.map((day) => `${day} days ago`)

  test('is read whole, however few events a page has', async () => {
    const said: string[] = []
    let next = `/v1/events?limit=2&${since}`
    for (let n = 0; n < 4; n++) {
      const found = await page(next, credential)
      said.push(...found.said)
      next = found.next
    }
    expect(said).toEqual(all)
  })

  test('is streamed whole to who was cut off at the beginning or in between', async () => {
    const input = (fields: object) => encodeURIComponent(JSON.stringify(fields))
    const call = `/trpc/events.follow?input=${input({ since: since.slice('since='.length) })}`
    for (const path of [`/v1/events?${since}`, call]) {
      using begun = await stream(path, credential)
      if (path === call) await begun.take(1) // tRPC's own greeting
      const marks = (await begun.take(3)).map(({ id }) => id ?? '')
      for (const [n, mark] of marks.entries()) {
        using resumed = await stream('/v1/events', credential, { 'last-event-id': mark })
        const events = (await resumed.take(1 + all.length - n)).slice(1)
        expect(
          events.map(({ data }) => contentOf(JSON.parse(data ?? ''))),
          `${path} ${n}`,
        ).toEqual(all.slice(n))
      }
    }
  })
})

describe('who may read what', () => {
  test('a type is readable with the scope of what it carries, which is named', async () => {
    const chat = await app.token(['chat:read'], { user: ada })
    const begun = await page('/v1/events', chat)
    await say('for readers of chat')
    await transact(app.context, (tx) =>
      emitEvent(tx, 'channel.updated', {
        channel: ada,
        data: { ...ada, bio: null, image_url: null, is_live: false },
      }),
    )
    expect((await page(begun.next, chat)).body.data.map(({ type }: { type: string }) => type)).toEqual([
      'chat.message.sent',
    ])
    const reply = await app.request('GET /v1/events?types=channel.updated', { token: chat })
    expect([reply.status, reply.body.error.code]).toEqual([403, 'insufficient_scope'])
    expect(reply.headers.get('www-authenticate')).toContain('scope="channel:read"')
    expect(await refused('/v1/events', await app.token(['user:read'], { user: ada }))).toEqual([
      403,
      'insufficient_scope',
    ])
    expect(await refused('/v1/events', await app.token(['moderation:read']))).toEqual([403, 'insufficient_scope'])
    expect(await refused('/v1/events?types=nope', chat)).toEqual([400, 'unknown_event_type'])
  })

  test('a user reads their own channel, an application any or all', async () => {
    expect(await refused('/v1/events?channel=bob', token)).toEqual([403, 'forbidden'])
    expect(await refused('/v1/events?channel=nobody', application)).toEqual([404, 'channel_not_found'])
    const one = await page('/v1/events?channel=BOB', application)
    const all = await page('/v1/events', application)
    await say('to ada')
    await say('to bob', bob)
    expect((await page(one.next, application)).said).toEqual(['to bob'])
    const first = await page(`${all.next}&wait=20`, application)
    const rest = first.said.length === 2 ? [] : (await page(first.next, application)).said
    expect([...first.said, ...rest]).toEqual(['to ada', 'to bob'])
    for (const [after, credential] of [
      [one.cursor, token],
      [all.cursor, token],
      [`${one.cursor}A`, application],
      ['x', token],
    ] as const) {
      expect(await refused(`/v1/events?after=${after}`, credential)).toEqual([400, 'invalid_cursor'])
    }
  })
})
