import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { EVERY_CHANNEL, type EventBatch } from '../../src/domain/core/live.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { lineFor, lineOfChannel } from '../../src/domain/events/feed/channel-line.ts'
import { filterOf } from '../../src/domain/events/feed/filter.ts'
import { settledPosition } from '../../src/domain/events/tail/positions.ts'
import { ProcessTail } from '../../src/domain/events/tail/process-tail.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { createTestContext } from '../support/context.ts'
import { countedDatabase } from '../support/counted-database.ts'
import { writeLate } from './support/late-writer.ts'

const hub = new WakeHub()
const app = await createTestContext({ wake: hub.wake, onWake: hub.onWake })
/** Called with each statement of a tail, before its answer is given. */
let between: (text: string) => Promise<void> = async () => {}
let onRead = () => {}
const counted = countedDatabase(app.target, async (text) => {
  await between(text)
  if (text.includes('as place')) onRead()
})
afterAll(async () => {
  await counted[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
const as = ({ id, username }: { id: string; username: string }): UserContext => ({
  ...app.context,
  principal: { kind: 'user', userId: id, username, clientId: null, scopes },
})
const ada = as(await app.user('ada'))
const bob = as(await app.user('bob'))
const say = (content: string, ctx = ada) => sendMessage(ctx, { room_name: ctx.principal.username, content })

const tails: ProcessTail[] = []
const tailOf = ({ isHearing = true } = {}) => {
  const onWake: typeof hub.onWake = isHearing ? hub.onWake : () => () => {}
  const tail = new ProcessTail({ ...app.context, db: counted.db, onWake })
  tails.push(tail)
  return tail
}
const everywhere = () => lineFor(app.context, { kind: 'operator' }, undefined)
beforeEach(() => void counted.sent.splice(0))
afterEach(async () => {
  vi.useRealTimers()
  between = async () => {}
  for (const tail of tails.splice(0)) await tail[Symbol.asyncDispose]()
})

const all = filterOf(['chat.message.sent'])
/** What a line tells from now on. */
async function told(tail: ProcessTail, { key, last }: { key: string; last: () => Promise<number> }) {
  const isRead = new Promise<void>((resolve) => {
    onRead = resolve
  })
  const line = await tail.hold(key, last)
  await isRead // what there is already
  const said: string[] = []
  line.follow({
    take: (batch: EventBatch) => void said.push(...batch.select(0, all).map(({ payload }) => contentOf(payload))),
    fail: (error) => void said.push(String(error)),
  })
  const until = async (count: number) => {
    while (said.length < count) await pause(2)
    return said
  }
  return { line, said, until }
}
const contentOf = (payload: string) => JSON.parse(payload).data.content
const sentOf = (part: string) => counted.sent.filter(({ text }) => text.includes(part)).length
const untilSent = async (part: string, more = 1) => {
  const count = sentOf(part) + more
  while (sentOf(part) < count) await pause(2)
}

describe('a transaction that has written an event and goes on', () => {
  test('is waited for however long it takes, which the log says: what comes behind it waits', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { said, until } = await told(tailOf(), await everywhere())
    await using late = await writeLate(bob, 'late')
    await say('behind it')
    await untilSent('pg_locks')
    vi.advanceTimersByTime(3_600_000)
    await untilSent('pg_locks', 3)
    await say('later')
    await untilSent('as place')
    expect(said).toEqual([])
    const line = app.lines.find((one) => one.includes('wait for a transaction that has written one and does not end'))
    expect(JSON.parse(line ?? '{}').pids).toHaveLength(1)
    await late.end()
    expect(await until(3)).toEqual(['late', 'behind it', 'later'])
    while (!app.lines.some((one) => one.includes('Events of all channels go on'))) await pause(2)
  })

  test('has those wait who come meanwhile, up to eight seconds, and then ask again', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    await using late = await writeLate(bob, 'late')
    const settled = settledPosition(counted.db).catch((problem) => problem)
    await untilSent('pg_locks')
    vi.advanceTimersByTime(8_000)
    expect(await settled).toMatchObject({ code: 'unavailable', details: { retryAfterS: 5 } })
    await late.end()
    expect(await settledPosition(counted.db)).toBeGreaterThan(0)
  })

  test('is not passed over when it ends between two questions', async () => {
    const { until } = await told(tailOf(), await everywhere())
    await using late = await writeLate(bob, 'late')
    await say('behind it')
    await untilSent('pg_locks')
    let hasEnded = false
    between = async (text) => {
      if (hasEnded || !text.includes('as place')) return // its answer does not hold the late one
      hasEnded = true
      const asked = untilSent('pg_locks')
      await late.end()
      await asked
      await pause(50)
    }
    await say('later')
    expect(await until(3)).toEqual(['late', 'behind it', 'later'])
  })

  test('has the events behind it read once, however many come', async () => {
    const { until } = await told(tailOf(), await everywhere())
    await using late = await writeLate(bob, 'late')
    counted.sent.length = 0
    await say('behind it')
    await untilSent('pg_locks')
    counted.sent.length = 0
    for (let n = 0; n < 5; n++) {
      const looked = untilSent('select position')
      await say(`${n}`)
      await looked
    }
    expect(sentOf('payload, position')).toBe(0)
    await late.end()
    expect(await until(7)).toHaveLength(7)
  })
})

describe('an event of which nothing was heard', () => {
  /** Looks are made when the test says so; a look that takes long keeps the next one from being made. */
  const look = async () => {
    const before = sentOf('last_value')
    for (; sentOf('last_value') === before; await pause(5)) vi.advanceTimersByTime(1_000)
  }
  const looks = async (count: number) => {
    for (let n = 0; n < count; n++) await look()
  }

  test.each(['its channel', 'all channels'])('is found, however slow its commit is, by who reads %s', async (name) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const named = name === 'its channel' ? lineOfChannel(app.context, bob.principal.userId) : await everywhere()
    const { said } = await told(tailOf({ isHearing: false }), named)
    await looks(4)
    await using late = await writeLate(bob, 'unheard')
    await looks(4)
    await pause(100) // what they had read is read: only a look from now on can find it
    expect(said).toEqual([])
    await late.end()
    await looks(2)
    while (said.length === 0) await pause(5)
    expect(said).toEqual(['unheard'])
  })

  test('is not looked for by more than a look, once it is found', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { until } = await told(tailOf({ isHearing: false }), await everywhere())
    await say('unheard')
    await looks(2)
    await until(1)
    for (let others = 1; others > 0; others = counted.sent.length - sentOf('last_value')) {
      counted.sent.length = 0
      await looks(3)
    }
  })

  test('is found although the first question for it failed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const tail = tailOf({ isHearing: false })
    const { until } = await told(tail, lineOfChannel(app.context, bob.principal.userId))
    let failures = 0
    between = async (text) => {
      if (text.includes('channel_sequences') && failures++ === 0) throw new Error('cut off')
    }
    await say('unheard', bob)
    await look()
    expect(await until(1)).toEqual(['unheard'])
    expect(failures).toBeGreaterThan(1)
  })
})

describe('the line of all channels', () => {
  test('is begun once for all who come together, and kept for a minute for who comes again', async () => {
    const tail = tailOf()
    const { last } = await everywhere()
    const begin = vi.fn(last)
    const hold = () => tail.hold(EVERY_CHANNEL, begin)
    const lines = await Promise.all([hold(), hold(), hold()])
    await untilSent('payload, position', 0)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    for (const line of lines) line.release()
    vi.advanceTimersByTime(59_000)
    const kept = await hold()
    vi.advanceTimersByTime(60_000)
    kept.release()
    vi.advanceTimersByTime(59_000)
    expect(await hold()).toBe(kept)
    kept.release()
    expect(begin).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    expect(await hold()).not.toBe(kept)
    expect(begin).toHaveBeenCalledTimes(2)
  })
})

test('who reads nothing any more asks nothing any more', async () => {
  const tail = tailOf()
  await told(tail, lineOfChannel(app.context, bob.principal.userId))
  await told(tail, await everywhere())
  await say('heard', bob)
  await untilSent('as place')
  await tail[Symbol.asyncDispose]()
  await pause(50)
  counted.sent.length = 0
  await say('not heard', bob)
  await pause(50)
  expect(counted.sent).toEqual([])
})
