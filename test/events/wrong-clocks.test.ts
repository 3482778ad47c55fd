import { afterAll, describe, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { lineFor, lineOfChannel } from '../../src/domain/events/feed/channel-line.ts'
import { filterOf } from '../../src/domain/events/feed/filter.ts'
import { ProcessTail } from '../../src/domain/events/tail/process-tail.ts'
import { DAY_MS } from '../../src/time/durations.ts'
import { contentOf, createFeedApp } from './support/feed.ts'

const app = await createFeedApp()
afterAll(() => app[Symbol.asyncDispose]())
const { ada, userToken, applicationToken, say, page, stream } = app
const today = app.context.now()
await makePartitions(app.context.db, today, { back: 7 })

/** How many days ahead of the true time the clock is from now on. */
const setClock = (days: number) => {
  app.clock.at = new Date(today.getTime() + days * DAY_MS)
}
/** Something that is said as it should be, by a clock that is days off, and again as it should be, twice. */
async function sayWithClock(days: number) {
  await say('before')
  setClock(days)
  await say('then')
  setClock(0)
  await say('after')
  await say('at last')
}
const said = ['before', 'then', 'after', 'at last']
const types = 'types=chat.message.sent'

describe.each([
  ['a channel', userToken],
  ['all channels', applicationToken],
])('what is written by a clock that is wrong by days is read, and what follows it, of %s', (_, credential) => {
  test.each([2, -2])('from every place on: %i', async (days) => {
    const begun = await page(`/v1/events?${types}`, credential)
    await sayWithClock(days)
    using streamed = await stream(`/v1/events?${types}&after=${begun.cursor}`, credential)
    const events = await streamed.take(1 + said.length)
    expect(events.slice(1).map(({ data = '' }) => contentOf(JSON.parse(data)))).toEqual(said)
    for (const [n, { id = '' }] of events.slice(0, -1).entries()) {
      using resumed = await stream(`/v1/events?${types}`, credential, { 'last-event-id': id })
      const rest = (await resumed.take(1 + said.length - n)).slice(1)
      expect(rest.map(({ data = '' }) => contentOf(JSON.parse(data)))).toEqual(said.slice(n))
      expect((await page(`/v1/events?${types}&after=${id}`, credential)).said).toEqual(said.slice(n))
    }
  })
})

describe('another process, which hears of nothing, tells all of it', () => {
  const lines = [
    ['a channel', async () => lineOfChannel(app.context, ada.id)],
    ['all channels', () => lineFor(app.context, { kind: 'operator' }, undefined)],
  ] as const

  test.each(lines)('of %s, also what comes last', async (_, nameLine) => {
    const { key, last } = await nameLine()
    await using tail = new ProcessTail({ ...app.context, onWake: () => () => {} })
    const line = await tail.hold(key, last)
    const told: unknown[] = []
    line.follow({
      take: (batch) => {
        const events = batch.select(0, filterOf(['chat.message.sent']))
        told.push(...events.map(({ payload }) => contentOf(JSON.parse(payload))))
      },
      fail: (error) => void told.push(error),
    })
    for (const days of [-2, 2]) {
      await sayWithClock(days)
      await expect.poll(() => told, { timeout: 5_000 }).toEqual(said)
      told.length = 0
      setClock(days)
      await say('the last')
      setClock(0)
      await expect.poll(() => told, { timeout: 5_000 }).toEqual(['the last'])
      told.length = 0
    }
  })
})
