import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { channelSequences, webhookSubscriptions } from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { updateApplication } from '../../src/domain/applications/applications.ts'
import { disableApplication } from '../../src/domain/applications/suspension.ts'
import { deleteMessage, sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { followEvents } from '../../src/domain/events/event-stream.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { disableSubscription } from '../../src/domain/webhooks/subscriptions/disable.ts'
import { createLiveApp } from '../support/app.ts'
import { caller } from '../support/flows.ts'
import { openStream } from './support/stream.ts'

const app = await createLiveApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const bob = await app.user('bob')
const token = await app.token(scopes, { user: ada })
const as = ({ id, username }: typeof ada): UserContext => ({
  ...app.context,
  principal: { kind: 'user', userId: id, username, clientId: null, scopes },
})
const watch = (procedure: string, input: object, credential = token) =>
  openStream(`${app.base}/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`, {
    authorization: `Bearer ${credential}`,
  })

/** A stream begins with 200, so a refusal comes in it. */
const refusal = (code: string) => ({ data: { problem: { code } } })

describe('chat.watch', () => {
  test('tells of every message as it is sent and deleted, of this room alone', async () => {
    using stream = await watch('chat.watch', { room_name: 'Ada' })
    const first = stream.next()
    await sendMessage(as(ada), { room_name: 'bob', content: 'elsewhere' })
    const { id } = await sendMessage(as(bob), { room_name: 'ada', content: 'Hello' })
    expect((await first).data).toMatchObject({ change: 'sent', message: { id, content: 'Hello', user_name: 'bob' } })
    await deleteMessage(as(ada), id)
    expect((await stream.next()).data).toMatchObject({ change: 'deleted', message: { id } })
  })

  test('goes on behind the number that was seen last, so nothing is missed and nothing comes twice', async () => {
    const contents = async (stream: Awaited<ReturnType<typeof watch>>, count: number) => {
      const seen = []
      for (let i = 0; i < count; i++) seen.push(await stream.next())
      return seen.map(({ id, data }) => ({ id, content: (data as { message: { content: string } }).message.content }))
    }
    using before = await watch('chat.watch', { room_name: 'bob' })
    const pending = contents(before, 1)
    await sendMessage(as(bob), { room_name: 'bob', content: 'one' })
    const [seen] = await pending
    await sendMessage(as(bob), { room_name: 'bob', content: 'two' })
    await sendMessage(as(bob), { room_name: 'bob', content: 'three' })
    using after = await watch('chat.watch', { room_name: 'bob', lastEventId: seen?.id })
    expect((await contents(after, 2)).map(({ content }) => content)).toEqual(['two', 'three'])
  })

  test.each([97, 997])(
    'keeps the order and each message once where the number gains a digit, behind %i',
    async (last) => {
      const room = await app.user(`digits${last}`)
      await app.context.db.insert(channelSequences).values({ channelId: room.id, last })
      const marks = async (stream: Awaited<ReturnType<typeof watch>>) => {
        const seen = []
        for (let n = 0; n < 6; n++) seen.push((await stream.next()).id)
        return seen
      }
      using live = await watch('chat.watch', { room_name: room.username })
      const heard = marks(live)
      for (let n = 0; n < 6; n++) await sendMessage(as(room), { room_name: room.username, content: `${n}` })
      using resumed = await watch('chat.watch', { room_name: room.username, lastEventId: `${last}` })
      const expected = Array.from({ length: 6 }, (_, n) => `${last + 1 + n}`)
      expect(await marks(resumed), 'resumed').toEqual(expected)
      expect(await heard, 'live').toEqual(expected)
    },
  )

  test('knows no other rooms, and asks for the scope', async () => {
    using unknown = await watch('chat.watch', { room_name: 'nobody' })
    expect((await unknown.next()).data).toMatchObject(refusal('unknown_room'))
    using weak = await watch('chat.watch', { room_name: 'ada' }, await app.token(['chat:write'], { user: ada }))
    expect((await weak.next()).data).toMatchObject(refusal('insufficient_scope'))
  })

  test('is open twenty times for one caller at most', async () => {
    const cal = await app.user('cal')
    const credential = await app.token(['chat:read'], { user: cal })
    const open = () => watch('chat.watch', { room_name: 'cal' }, credential)
    const streams = await Promise.all(Array.from({ length: 20 }, open))
    const pending = streams.map((stream) => stream.next())
    await sendMessage(as(cal), { room_name: 'cal', content: 'all of you' })
    await Promise.all(pending)
    using tooMany = await open()
    expect((await tooMany.next()).data).toMatchObject(refusal('rate_limited'))
    for (const stream of streams) stream[Symbol.dispose]()
  })
})

describe('deliveries.watch', () => {
  test('says that something has changed, to the owner alone', async () => {
    const client = await app.client()
    const of = { kind: 'application', clientId: client.id, scopes } as const
    const { id } = await createSubscription(
      { ...app.context, principal: of },
      { url: 'http://127.0.0.1:9/hook', event_types: ['chat.message.sent'] },
    )
    using stream = await watch('deliveries.watch', { subscription: id }, await app.token(scopes, { client }))
    expect((await stream.next()).data).toEqual({ changed: true })
    const changed = stream.next()
    await sendMessage(as(ada), { room_name: 'ada', content: 'to be delivered' })
    expect((await changed).data).toEqual({ changed: true })
    const again = stream.next()
    await disableSubscription({ ...app.context, principal: of }, { id })
    expect((await again).data).toEqual({ changed: true })
    expect(await app.context.db.select({ status: webhookSubscriptions.status }).from(webhookSubscriptions)).toEqual([
      { status: 'disabled' },
    ])
    using stranger = await watch('deliveries.watch', { subscription: id }, await app.token(scopes))
    expect((await stranger.next()).data).toMatchObject(refusal('subscription_not_found'))
  })
})

describe('deliveries.follow', () => {
  const follow = async (input: object, credential?: string) => {
    const stream = await watch('deliveries.follow', input, credential ?? (await app.token(['webhook:write'])))
    const next = async () => {
      const { id, data } = await stream.next()
      return { mark: id, contents: contentsOf(data) }
    }
    return { ...stream, next }
  }
  const contentsOf = (data: unknown) =>
    (data as { events: { payload: string }[] }).events.map(({ payload }) => JSON.parse(payload).data.content)
  const say = (content: string) => sendMessage(as(bob), { room_name: 'bob', content })
  /** Eighty messages of each in a room of its own, as many as an owner may say at once. */
  const sayMuch = async (...names: string[]) => {
    for (const room of await Promise.all(names.map((name) => app.user(name)))) {
      for (let n = 0; n < 80; n++) await sendMessage(as(room), { room_name: room.username, content: `${n}` })
    }
  }
  const minutes = (n: number) => {
    app.clock.at = new Date(app.clock.at.getTime() + n * 60_000)
  }
  /** What the wire carries, read when it is asked for and not before: a stream that 240 messages wait for. */
  const behind = async (credential: string, ...rooms: string[]) => {
    minutes(30)
    const principal = await authenticate(app.context, credential)
    const from = caller({ authorization: `Bearer ${credential}` })
    const stream = await followEvents({ ...app.context, principal, caller: from }, {}, undefined)
    await stream.next()
    await sayMuch(...rooms)
    return { next: () => stream.next(), [Symbol.asyncDispose]: async () => void (await stream.return(undefined)) }
  }
  afterEach(() => void vi.useRealTimers())

  test('goes on behind a mark that is ten minutes old at most, whatever mark is made up', async () => {
    using first = await follow({})
    const { mark, contents } = await first.next()
    expect(contents).toEqual([])
    await say('long ago')
    minutes(11)
    await say('lately')
    for (const lastEventId of [mark, 'evt_0000000000.evt_0000000000']) {
      using later = await follow({ lastEventId })
      await later.next()
      expect((await later.next()).contents).toEqual(['lately'])
    }
    minutes(1)
    for (const lastEventId of ['evt_zzzzzzzzzz.evt_zzzzzzzzzz', 'evt_0000000000', 'nonsense']) {
      using fromNow = await follow({ lastEventId })
      expect((await fromNow.next()).mark).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{10}\.evt_[0-9a-hjkmnp-tv-z]{10}$/)
      await say(`behind ${lastEventId}`)
      expect((await fromNow.next()).contents).toEqual([`behind ${lastEventId}`])
      minutes(1)
    }
  })

  test('gives what is there without waiting for the next event or the next second', async () => {
    await using stream = await behind(await app.token(['webhook:write']), 'nat', 'ola', 'pia')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const counts = []
    for (let n = 0; n < 3; n++) {
      const batch = stream.next()
      await vi.advanceTimersByTimeAsync(100)
      counts.push((await batch).value?.item.events.length)
    }
    expect(counts).toEqual([100, 100, 40])
  })

  test('gives a hundred events at a time, and between two of them it is seen that the credential has ended', async () => {
    app.context.credentials.trust()
    const client = await app.client()
    await using stream = await behind(await app.token(['webhook:write'], { client }), 'kim', 'lou', 'mia')
    expect((await stream.next()).value?.item.events).toHaveLength(100)
    await disableApplication(app.context, client.id)
    await expect(stream.next()).rejects.toMatchObject({ code: 'invalid_token' })
    app.context.credentials.distrust()
  })
})

test('a stream ends when its credential does, and no other with it', async () => {
  app.context.credentials.trust()
  const dee = await app.user('dee')
  const client = await app.client()
  const revoked = await app.token(['chat:read'], { user: dee, client })
  using stream = await watch('chat.watch', { room_name: 'dee' }, revoked)
  using other = await watch('chat.watch', { room_name: 'dee' }, await app.token(['chat:read'], { user: ada }))
  const [last, next] = [stream.next(), other.next()]
  await revokeAllowed(as(dee), { application_id: client.id })
  expect((await last).data).toMatchObject(refusal('invalid_token'))
  await sendMessage(as(dee), { room_name: 'dee', content: 'still here?' })
  expect((await next).data).toMatchObject({ message: { content: 'still here?' } })
  app.context.credentials.distrust()
})

test('a stream ends when a scope is taken from its credential', async () => {
  app.context.credentials.trust()
  const redirectUris = ['http://127.0.0.1/callback']
  const client = await app.client({ scopes: ['chat:read', 'channel:read'], redirectUris })
  const credential = await app.token(['chat:read', 'channel:read'], { client })
  using stream = await watch('chat.watch', { room_name: 'ada' }, credential)
  const last = stream.next()
  const owner = { ...app.context, principal: { kind: 'operator' } } as const
  await updateApplication(owner, { id: client.id, scopes: ['channel:read'] })
  expect((await last).data).toMatchObject(refusal('insufficient_scope'))
  app.context.credentials.distrust()
})

test('streams end when the process begins to stop, so that they hold nothing up, and say that one should ask again', async () => {
  using stream = await watch('chat.watch', { room_name: 'ada' })
  const last = stream.next()
  app.stop()
  expect((await last).data).toMatchObject(refusal('unavailable'))
  await stream.ended()
})
