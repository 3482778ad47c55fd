import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { ofDatabase } from '../../src/db/db-error.ts'
import type { EventLine, Follower, OpenStream, StreamEnd } from '../../src/domain/core/live.ts'
import { followFeed } from '../../src/domain/events/feed/follow-feed.ts'
import { endMostUnsent } from '../../src/domain/events/streams/unsent-limit.ts'
import { createTestContext } from '../support/context.ts'
import { caller } from '../support/flows.ts'

const app = await createTestContext()
afterAll(() => app[Symbol.asyncDispose]())
await app.user('ada')
const TOO_MUCH = 2 * 1_048_576

/** A stream at the end of its line, whose reader takes nothing before `taken` is dispatched. */
async function openSlow(form = 'feed') {
  const streams = new Set<OpenStream>()
  const noted = new Set<OpenStream>()
  const ends: StreamEnd[] = []
  const taken = new EventTarget()
  const add = (stream: OpenStream) => {
    streams.add(stream)
    return () => void streams.delete(stream)
  }
  const sink = {
    unsentBytes: 0,
    form,
    begin() {},
    write() {},
    progress() {},
    beat() {},
    end: (end: StreamEnd) => void ends.push(end),
    drained: () => once(taken, 'taken').then(() => undefined),
  }
  const follower = await new Promise<Follower>((resolve, reject) => {
    const line: EventLine = { place: 0, follow: resolve, leave() {}, release() {} }
    const context = {
      ...app.context,
      tail: { hold: async () => line },
      streams: { add, noteUnsent: (stream: OpenStream) => void noted.add(stream) },
      caller: caller({ authorization: 'Bearer none' }),
      principal: { kind: 'application', clientId: 'cli_1', ownerId: 'usr_1', scopes: ['chat:read'] } as const,
    }
    followFeed(context, { channel: 'ada' }).then((stream) => stream.open(sink), reject)
  })
  return { streams, noted, ends, taken, sink, follower }
}

test('what a stream that has ended keeps for its reader counts until it is taken', async () => {
  const { streams, noted, ends, taken, sink, follower } = await openSlow()
  sink.unsentBytes = TOO_MUCH
  follower.take({ end: 1, select: () => [] })
  expect(ends).toEqual([expect.objectContaining({ reason: 'recycled' })])
  expect([...streams].map(({ unsentBytes }) => unsentBytes)).toEqual([TOO_MUCH])
  expect([...noted], 'so that it is looked at').toEqual([...streams])

  const [last] = ends
  if (last) for (const stream of streams) stream.end(last)
  expect(ends, 'it has ended already').toHaveLength(1)

  taken.dispatchEvent(new Event('taken'))
  await expect.poll(() => streams.size).toBe(0)
})

test('it is let go where there is no memory for it', async () => {
  const { streams, ends, sink, follower } = await openSlow()
  sink.unsentBytes = TOO_MUCH
  follower.take({ end: 1, select: () => [] })
  endMostUnsent(streams, TOO_MUCH - 1)
  expect(ends.map(({ isAtOnce }) => isAtOnce)).toEqual([undefined, true])
})

test('nothing is kept of a stream whose reader has taken almost all', async () => {
  const { streams, follower } = await openSlow()
  follower.fail(new Error('x'))
  expect(streams.size).toBe(0)
})

test('a stream that cannot read on says why, unless the database is away, which is logged once for all', async () => {
  const said = () => app.lines.filter((line) => line.includes('could not read on'))
  app.lines.length = 0
  for (const code of ['DATABASE_AWAY', 'ECONNREFUSED']) {
    const { follower, ends } = await openSlow()
    follower.fail(ofDatabase(Object.assign(new Error('x'), { code })))
    expect(ends).toHaveLength(1)
  }
  expect(said()).toEqual([])
  const { follower } = await openSlow()
  follower.fail(new Error('x'))
  expect(said()).toHaveLength(1)
})

test('what is written in two forms is kept twice, and counts twice; in one form once', async () => {
  const slow = [await openSlow('feed'), await openSlow('feed'), await openSlow('call')]
  for (const { sink } of slow) sink.unsentBytes = TOO_MUCH
  const streams = slow.flatMap((one) => [...one.streams])
  const ends = () => slow.flatMap((one) => one.ends)
  endMostUnsent(streams, 2 * TOO_MUCH)
  expect(ends()).toEqual([])
  endMostUnsent(streams, 2 * TOO_MUCH - 1)
  expect(ends()).not.toEqual([])
})
