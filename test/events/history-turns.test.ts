import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { channelSequences } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import type { EventLine, EventTail, PlacedEvent } from '../../src/domain/core/live.ts'
import type { Scope } from '../../src/domain/core/scopes.ts'
import { followFeed } from '../../src/domain/events/feed/follow-feed.ts'
import { readFeed } from '../../src/domain/events/feed/read-feed.ts'
import type { EventSink } from '../../src/domain/events/streams/event-stream.ts'
import { createTestContext } from '../support/context.ts'
import { countedDatabase } from '../support/counted-database.ts'
import { caller } from '../support/flows.ts'

const EVENTS = 3_000
const STREAMS = 20
const PAGE = 100

/* Whoever reads all that there was, on all streams that they may have, keeps nobody else waiting. */
const app = await createTestContext()
const running = { now: 0, most: 0 }
const database = countedDatabase(app.target, async (text, values) => {
  const [after, end] = values.map(Number) as [number, number]
  const isReadOn = text.includes('as place\nfrom events') && after > 0 && end - after > PAGE
  if (!isReadOn) return
  running.most = Math.max(running.most, ++running.now)
  await new Promise((resolve) => setTimeout(resolve, 3))
  running.now--
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
const { id: channelId } = await app.user('ada')
const at = app.clock.at
await makePartitions(app.context.db, at)
await app.context.db.execute(sql`
  insert into events (id, channel_id, sequence, type, occurred_at, payload)
  select ${newId('event', at).slice(0, 14)} || lpad(n::text, 16, '0'), ${channelId}, n,
         case when n % 1000 = 0 then 'livestream.started' else 'chat.message.sent' end, ${at.toISOString()}::timestamptz, '{}'
    from generate_series(1, ${EVENTS}) n`)
await app.context.db.insert(channelSequences).values({ channelId, last: EVENTS })

const line: EventLine = { place: EVENTS, follow() {}, leave() {}, release() {} }
const tail: EventTail = { hold: async () => line }
const since = new Date(at.getTime() - 1_000).toISOString()
const scopes: Scope[] = ['chat:read', 'livestream:read']
const as = (ownerId: string) => ({
  ...app.context,
  db: database.db,
  tail,
  streams: { add: () => () => {}, noteUnsent() {} },
  caller: caller({ authorization: 'Bearer none' }),
  principal: { kind: 'application', clientId: `cli_${ownerId}`, ownerId, scopes } as const,
})

/** Opens a stream from the beginning; resolves to how many events it has had once it has had the last one. */
async function readAll(ownerId: string): Promise<number> {
  const stream = await followFeed(as(ownerId), { channel: 'ada', since, types: 'chat.message.sent' })
  return new Promise((resolve, reject) => {
    let events = 0
    const sink: EventSink = {
      unsentBytes: 0,
      form: 'test',
      begin() {},
      write(some: readonly PlacedEvent[]) {
        events += some.length
        if (some.at(-1)?.place !== EVENTS - 1) return
        stream.leave()
        resolve(events)
      },
      progress() {},
      beat() {},
      end: ({ problem }) => reject(problem),
      drained: async () => {},
    }
    stream.open(sink)
  })
}

beforeEach(() => {
  running.most = 0
})

test('of one owner one read of a history runs at a time, however many streams they have', async () => {
  const streams = Array.from({ length: STREAMS }, () => readAll('loud'))
  expect(await Promise.all(streams)).toEqual(streams.map(() => EVENTS - EVENTS / 1_000))
  expect(running.most).toBe(1)
})

test('of many owners two do, and who has read little lately comes before those who read much', async () => {
  const ended: string[] = []
  const read = (owner: string) => readAll(owner).then(() => ended.push(owner))
  const loud = Array.from({ length: STREAMS }, (_, n) => read(`loud${n % 3}`))
  while (running.now === 0) await new Promise(setImmediate)
  await Promise.all([read('quiet'), ...loud])
  expect(running.most).toBe(2)
  expect(ended.indexOf('quiet')).toBeLessThan(STREAMS / 2)
})

test('pages that look for what is seldom wait as well, and none is refused: one that was not full leads on', async () => {
  const ask = { channel: 'ada', types: 'livestream.started', limit: PAGE, wait: 0 }
  const read = async () => {
    const found: string[] = []
    let page = await readFeed(as('loud'), { ...ask, since }, new AbortController().signal)
    for (let pages = 0; found.length < EVENTS / 1_000 && pages < EVENTS; pages++) {
      found.push(...page.events.map(({ id }) => id))
      page = await readFeed(as('loud'), { ...ask, after: page.next }, new AbortController().signal)
    }
    return found.length
  }
  const pages = Array.from({ length: STREAMS }, read)
  expect(await Promise.all(pages)).toEqual(pages.map(() => EVENTS / 1_000))
  expect(running.most).toBe(1)
})

test('of history whoever takes nothing has fifty events in memory, not five hundred, and counts among those with much unsent', async () => {
  const noteUnsent = vi.fn()
  const ctx = { ...as('asleep'), streams: { add: () => () => {}, noteUnsent } }
  const stream = await followFeed(ctx, { channel: 'ada', since })
  const written: number[] = []
  const drained = new Promise<void>((resolve) => {
    stream.open({
      form: 'test',
      get unsentBytes() {
        return written.length * 1_000_000
      },
      begin() {},
      write: (events) => void written.push(events.length),
      progress() {},
      beat() {},
      end() {},
      drained: () => {
        resolve()
        return new Promise(() => {})
      },
    })
  })
  await drained
  expect(written).toEqual([50])
  expect([stream.unsentBytes, stream.sharedBy]).toEqual([1_000_000, undefined])
  expect(noteUnsent).toHaveBeenCalledWith(stream)
  stream.leave()
})
