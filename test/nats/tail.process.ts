import { afterAll, describe, expect, test, vi } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import { sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { EVERY_CHANNEL, type EventFilter } from '../../src/domain/core/live.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { relayEvents } from '../../src/domain/events/relay.ts'
import { ProcessTail } from '../../src/domain/events/tail/process-tail.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { NatsLink } from '../../src/nats/connection.ts'
import { NatsPublisher } from '../../src/nats/event-publisher.ts'
import { NatsSource } from '../../src/nats/event-source.ts'
import { createTestContext } from '../support/context.ts'
import { createTestLog } from '../support/log.ts'
import { hasNats, startNats } from './support/server.ts'

const everything: EventFilter = { key: '', types: [], wants: () => true }

describe.skipIf(!hasNats)('the tail of a process with a broker', async () => {
  if (!hasNats) return
  const logged = createTestLog()
  const own = await createTestContext({ log: logged.log, counters: unlimitedCounters })
  const nats = await startNats()
  const wakeHub = new WakeHub()
  const link = new NatsLink(own.context.log)
  await link.open(nats.url)
  const ada = await own.user('ada')
  const principal = { kind: 'user', userId: ada.id, username: 'ada', clientId: null, scopes } as const
  const context: UserContext = { ...own.context, wake: wakeHub.wake, principal }
  const say = (content: string) => sendMessage(context, { room_name: 'ada', content })
  const stop = new AbortController()
  const relaying = { isOn: true }
  const publisher = new NatsPublisher(link)
  const work = relayEvents(
    { ...own.context, onWake: wakeHub.onWake },
    {
      resume: () => publisher.resume(),
      publish: async (events) => {
        if (relaying.isOn) await publisher.publish(events)
        else if (events.length > 0) throw new Error('nobody relays')
      },
    },
    stop.signal,
  )
  const asked: string[] = []
  const tail = new ProcessTail(
    { ...own.context, db: noting(own.context.db, asked), onWake: wakeHub.onWake },
    new NatsSource(link),
  )
  afterAll(async () => {
    stop.abort()
    await work
    await tail[Symbol.asyncDispose]()
    await link[Symbol.asyncDispose]()
    await nats[Symbol.asyncDispose]()
    await own[Symbol.asyncDispose]()
  })

  /** What a line tells from now on. */
  async function listen(key: string) {
    const heard: string[] = []
    const line = await tail.hold(key, async () => 0)
    let place = line.place
    line.follow({
      take: (batch) => {
        for (const { payload } of batch.select(place, everything)) heard.push(JSON.parse(payload).data.content)
        place = batch.end
      },
      fail: (error) => heard.push(String(error)),
    })
    return heard
  }

  const soon = { timeout: 20_000, interval: 10 }
  const reads = () => asked.filter((text) => /from events\b|from unnest/.test(text)).length

  test('tells each event once and in order, without a statement for any of them', async () => {
    const [ofChannel, ofAll] = [await listen(ada.id), await listen(EVERY_CHANNEL)]
    await say('first')
    await vi.waitFor(() => expect([ofChannel, ofAll]).toEqual([['first'], ['first']]), soon)
    const said = Array.from({ length: 120 }, (_, n) => `message ${n}`)
    const before = reads()
    const begun = performance.now()
    for (const content of said) await say(content)
    await vi.waitFor(
      () =>
        expect([ofChannel, ofAll]).toEqual([
          ['first', ...said],
          ['first', ...said],
        ]),
      soon,
    )
    const seconds = (performance.now() - begun) / 1000
    expect(reads() - before, 'the look of each second, and no more').toBeLessThanOrEqual(3 * Math.ceil(seconds + 1))
  })

  test('reads what does not come, and goes on with what comes', async () => {
    const heard = await listen(ada.id)
    const from = heard.length
    relaying.isOn = false
    await say('while nobody relays')
    await vi.waitFor(() => expect(heard.slice(from)).toEqual(['while nobody relays']), soon)
    relaying.isOn = true
    await say('again')
    await vi.waitFor(() => expect(heard.slice(from)).toEqual(['while nobody relays', 'again']), soon)
  })

  test.each(['killed', 'frozen'] as const)('misses nothing while the broker is %s, and says so once', async (how) => {
    const heard = await listen(ada.id)
    const from = heard.length
    const before = logged.lines.length
    if (how === 'killed') await nats.kill()
    else nats.signal('SIGSTOP')
    for (const content of ['a', 'b', 'c']) await say(content)
    await vi.waitFor(() => expect(heard.slice(from)).toEqual(['a', 'b', 'c']), soon)
    await vi.waitUntil(() => !link.isLive, soon)
    await say('d')
    await vi.waitFor(() => expect(heard.slice(from)).toEqual(['a', 'b', 'c', 'd']), soon)
    if (how === 'killed') await nats.restart()
    else nats.signal('SIGCONT')
    await vi.waitUntil(() => link.isLive, soon)
    await say('e')
    await vi.waitFor(() => expect(heard.slice(from)).toEqual(['a', 'b', 'c', 'd', 'e']), soon)
    const said = () => logged.lines.slice(before).map((line) => String(JSON.parse(line).msg))
    // what has just been away before is there again once it has stayed for ten seconds
    await expect
      .poll(() => said().filter((msg) => msg.startsWith('NATS')), soon)
      .toEqual(['NATS away: events are read from the database', 'NATS is there: events come from it'])
  })
})

/** The same database, noting the text of each statement. */
function noting<Db extends object>(db: Db, asked: string[]): Db {
  const { session } = (
    db as unknown as { _: { session: { client: { unsafe: (text: string, ...rest: unknown[]) => unknown } } } }
  )._
  const client = new Proxy(session.client, {
    get: (target, name) =>
      name === 'unsafe'
        ? (text: string, ...rest: unknown[]) => {
            asked.push(text)
            return target.unsafe(text, ...rest)
          }
        : Reflect.get(target, name),
  })
  return { _: { session: { client } } } as unknown as Db
}
