import { afterAll, describe, expect, test, vi } from 'vitest'
import { channelSequences } from '../../src/db/schema/index.ts'
import { updateApplication } from '../../src/domain/applications/applications.ts'
import { deleteMessage, sendMessage } from '../../src/domain/chat.ts'
import { poll } from '../../src/domain/events/poll.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { caller } from '../support/flows.ts'
import { createWatchApp, refusal } from './support/live.ts'

const app = await createWatchApp()
afterAll(() => app[Symbol.asyncDispose]())
const { ada, bob, userToken: token, as, watch } = app

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

  /** Opens a stream for each credential at once; all of them are open when it resolves. */
  const openAll = async (room: typeof ada, credentials: string[]) => {
    const streams = await Promise.all(
      credentials.map((credential) => watch('chat.watch', { room_name: room.username }, credential)),
    )
    const pending = streams.map((stream) => stream.next())
    await sendMessage(as(room), { room_name: room.username, content: 'all of you' })
    await Promise.all(pending)
    return { [Symbol.dispose]: () => streams.forEach((stream) => void stream[Symbol.dispose]()) }
  }

  test('is open twenty times for one user at most, by whatever token', async () => {
    const cal = await app.user('cal')
    const clients = [await app.client(), await app.client()]
    const tokens = await Promise.all(clients.map((client) => app.token(['chat:read'], { user: cal, client })))
    using _ = await openAll(
      cal,
      tokens.flatMap((one) => Array<string>(10).fill(one)),
    )
    for (const one of tokens) {
      using tooMany = await watch('chat.watch', { room_name: 'cal' }, one)
      expect((await tooMany.next()).data).toMatchObject(refusal('rate_limited'))
    }
  })

  test('is open twenty times for all applications of one owner together, who may still watch as a user', async () => {
    const [eve, fay] = [await app.user('eve'), await app.user('fay')]
    const tokenOf = async (owner: typeof eve) => app.token(['chat:read'], { client: await app.client({ owner }) })
    const applications = await Promise.all(Array.from({ length: 5 }, () => tokenOf(eve)))
    using _ = await openAll(
      eve,
      applications.flatMap((one) => Array<string>(4).fill(one)),
    )
    using tooMany = await watch('chat.watch', { room_name: 'eve' }, await tokenOf(eve))
    expect((await tooMany.next()).data).toMatchObject(refusal('rate_limited'))
    const others = [await app.token(['chat:read'], { user: eve }), await tokenOf(fay)]
    using __ = await openAll(eve, others)
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

test('streams that began together end one by one about an hour later, cut off so that their clients come again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const ctx = { ...as(ada), caller: caller({ authorization: `Bearer ${token}` }) }
  const streams = Array.from({ length: 16 }, () => poll(ctx, undefined, () => true))
  const ended = async () => {
    const polls = await Promise.allSettled(streams.map((stream) => stream.next()))
    return polls.filter((one) => one.status === 'rejected' && one.reason.name === 'AbortError').length
  }
  const minutesLater = (n: number) => void vi.advanceTimersByTime(n * 60_000)
  expect(await ended()).toBe(0)
  minutesLater(54.9)
  expect(await ended()).toBe(0)
  minutesLater(5.1)
  const half = await ended()
  expect(half).toBeGreaterThan(0)
  expect(half).toBeLessThan(16)
  minutesLater(5.1)
  expect(half + (await ended())).toBe(16)
  vi.useRealTimers()
})

test('streams end when the process begins to stop, so that they hold nothing up, and say that one should ask again', async () => {
  using stream = await watch('chat.watch', { room_name: 'ada' })
  const last = stream.next()
  app.stop()
  expect((await last).data).toMatchObject(refusal('unavailable'))
  await stream.ended()
})
