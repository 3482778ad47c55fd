import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { PlacedEvent } from '../../src/domain/core/live.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { followFeed } from '../../src/domain/events/feed/follow-feed.ts'
import type { EventSink, StreamContext } from '../../src/domain/events/streams/event-stream.ts'
import { appRouter } from '../../src/routers/index.ts'
import { caller } from '../support/flows.ts'
import { contentOf, createFeedApp } from './support/feed.ts'

const app = await createFeedApp()
afterAll(() => app[Symbol.asyncDispose]())
afterEach(() => void vi.useRealTimers())
const { bob, userToken, applicationToken, say, page, stream, context } = app

test('who joins while much happens gets each event once, and those of a channel in their order', async () => {
  const begun = await page('/v1/events', applicationToken)
  const ofOne = await page('/v1/events', userToken)
  const count = 120
  const talking = (async () => {
    for (let n = 0; n < count; n += 2) await Promise.all([say(`ada ${n}`), say(`bob ${n + 1}`, bob)])
  })()
  const readAll = async (credential: string, cursor: string, expected: number) => {
    using live = await stream('/v1/events', credential, { 'last-event-id': cursor })
    return (await live.take(1 + expected)).slice(1).map(({ data }) => contentOf(JSON.parse(data ?? '')))
  }
  const readers: Promise<(string | undefined)[]>[] = []
  for (let n = 0; n < 8; n++) {
    readers.push(readAll(applicationToken, begun.cursor, count), readAll(userToken, ofOne.cursor, count / 2))
    await page('/v1/events', userToken) // a moment later
  }
  await talking
  const numbers = Array.from({ length: count }, (_, n) => n)
  const ofAda = numbers.filter((n) => n % 2 === 0).map((n) => `ada ${n}`)
  const ofBob = numbers.filter((n) => n % 2 === 1).map((n) => `bob ${n}`)
  for (const said of await Promise.all(readers)) {
    expect(said.filter((one) => one?.startsWith('ada'))).toEqual(ofAda)
    expect(said.filter((one) => one?.startsWith('bob'))).toEqual(said.length === count ? ofBob : [])
  }
})

describe('who leaves', async () => {
  const cal = await app.user('cal')
  const ctx: StreamContext = {
    ...context,
    caller: caller({ authorization: `Bearer ${await app.token(['chat:read'], { user: cal })}` }),
    principal: { kind: 'user', userId: cal.id, username: cal.username, clientId: null, scopes },
  }
  const written: PlacedEvent[] = []
  const sink = (more: Partial<EventSink> = {}): EventSink => ({
    unsentBytes: 0,
    form: 'test',
    begin() {},
    write: (events) => void written.push(...events),
    progress() {},
    beat() {},
    end() {},
    drained: async () => {},
    ...more,
  })
  await say('before', cal)
  const since = new Date(0).toISOString()

  test.each<[string, (open: () => void, leave: () => void) => void]>([
    ['before the stream is open', (open, leave) => [leave(), open()]],
    ['while it reads what was stored', (open, leave) => [open(), leave()]],
    ['again and again', (open, leave) => [open(), leave(), leave()]],
  ])('%s, is told nothing and has no place any more', async (_when, act) => {
    written.length = 0
    for (let n = 0; n < 25; n++) {
      const one = await followFeed(ctx, { since }) // the twenty-first would be refused
      act(
        () => one.open(sink()),
        () => one.leave(),
      )
    }
    await say('after', cal)
    await page('/v1/events', userToken)
    expect(written).toEqual([])
  })

  test('by what it is told first, is told nothing more', async () => {
    written.length = 0
    const one = await followFeed(ctx, { since })
    const left = new Promise<void>((resolve) => {
      const write = (events: readonly PlacedEvent[]) => {
        written.push(...events)
        one.leave()
        resolve()
      }
      one.open(sink({ write }))
    })
    await left
    const { length } = written
    await say('after that', cal)
    await page('/v1/events', userToken)
    expect(written.length).toBe(length)
  })
})

test('a page waits for twenty-five seconds where nothing happens, and leads on', async () => {
  const reader = appRouter.createCaller({ ...context, caller: caller({ authorization: `Bearer ${userToken}` }) })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const added = vi.spyOn(context.streams, 'add')
  let isAnswered = false
  const waiting = reader.events.read({ wait: 25 }).finally(() => {
    isAnswered = true
  })
  while (added.mock.calls.length === 0) await turn()
  vi.advanceTimersByTime(24_999)
  for (let n = 0; n < 10; n++) await turn()
  expect(isAnswered).toBe(false)
  vi.advanceTimersByTime(1)
  const { events, next } = await waiting
  expect(events).toEqual([])
  vi.useRealTimers()
  await say('behind it')
  expect((await page(`/v1/events?after=${next}`)).said).toEqual(['behind it'])
})
