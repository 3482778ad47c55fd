import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import type { EventPublisher } from '../../src/domain/core/relayed.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { relayEvents } from '../../src/domain/events/relay.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { NatsLink } from '../../src/nats/connection.ts'
import { NatsPublisher } from '../../src/nats/event-publisher.ts'
import { createTestContext } from '../support/context.ts'
import { hasNats, startNats } from './support/server.ts'

/** A site with a channel, and a NATS server; `messages` are what the stream holds: the content of each, in its order. */
async function createStage() {
  const own = await createTestContext()
  const nats = await startNats()
  const wakeHub = new WakeHub()
  const ada = await own.user('ada')
  const bob = await own.user('bob')
  const say = (content: string, { id, username } = ada) => {
    const principal = { kind: 'user', userId: id, username, clientId: null, scopes } as const
    const context: UserContext = { ...own.context, wake: wakeHub.wake, principal }
    return sendMessage(context, { room_name: username, content })
  }
  const links: NatsLink[] = []
  const openPublisher = async () => {
    const link = new NatsLink(own.context.log)
    links.push(link)
    await link.open(nats.url)
    return new NatsPublisher(link)
  }
  const stored = async () => {
    const connection = await connect({ servers: nats.url.slice('nats://'.length) })
    try {
      const { streams } = await jetstreamManager(connection)
      const { state } = await streams.info('EVENTS')
      const all: { content: string; subject: string; sequence: string }[] = []
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const message = await streams.getMessage('EVENTS', { seq })
        if (!message) continue
        const { data } = message.json<{ data: { content: string } }>()
        all.push({ content: data.content, subject: message.subject, sequence: message.header.get('Event-Sequence') })
      }
      return all
    } finally {
      await connection.close()
    }
  }
  const relay = (publisher: EventPublisher) => {
    const stop = new AbortController()
    const work = relayEvents({ ...own.context, onWake: wakeHub.onWake }, publisher, stop.signal)
    return async () => {
      stop.abort()
      await work
    }
  }
  const isLed = async () =>
    (await own.context.db.execute(sql`select 1 from event_relay where holder is not null`)).length > 0
  return {
    ...own,
    nats,
    ada,
    bob,
    say,
    stored,
    relay,
    openPublisher,
    isLed,
    async [Symbol.asyncDispose]() {
      for (const link of links) await link[Symbol.asyncDispose]()
      await nats[Symbol.asyncDispose]()
      await own[Symbol.asyncDispose]()
    },
  }
}
type Stage = Awaited<ReturnType<typeof createStage>>

const soon = { timeout: 20_000, interval: 20 }
const untilStored = (stage: Stage, contents: string[]) =>
  vi.waitFor(async () => expect((await stage.stored()).map(({ content }) => content)).toEqual(contents), soon)

describe.skipIf(!hasNats)('events at a broker', () => {
  test('are what happens from the first time on, each once, in their order, by channel and type', async () => {
    await using stage = await createStage()
    await stage.say('before')
    const stop = stage.relay(await stage.openPublisher())
    await vi.waitUntil(stage.isLed, soon)
    for (const content of ['one', 'two']) await stage.say(content)
    await stage.say('three', stage.bob)
    await untilStored(stage, ['one', 'two', 'three'])
    await stop()
    expect(await stage.isLed(), 'another may relay at once').toBe(false)
    const [first, , third] = await stage.stored()
    expect(first).toMatchObject({ subject: `events.${stage.ada.id}.chat.message.sent`, sequence: '2' })
    expect(third).toMatchObject({ subject: `events.${stage.bob.id}.chat.message.sent`, sequence: '1' })
  })

  test('are neither lost nor doubled where whoever relays them ends between two of its steps', async () => {
    await using stage = await createStage()
    const first = await stage.openPublisher()
    const stopFirst = stage.relay(first)
    await vi.waitUntil(stage.isLed, soon)
    await stage.say('one')
    await untilStored(stage, ['one'])
    await stopFirst()

    for (const content of ['two', 'three', 'four']) await stage.say(content)
    const fails = await stage.openPublisher()
    let published = 0
    const stopSecond = stage.relay({
      resume: () => fails.resume(),
      publish: async (events) => {
        await fails.publish(events.slice(0, 2))
        published++
        throw new Error('ended after it was stored, and before the cursor moved')
      },
    })
    await vi.waitUntil(() => published > 0, soon)
    await stopSecond()
    const stopThird = stage.relay(await stage.openPublisher())
    await stage.say('five')
    await untilStored(stage, ['one', 'two', 'three', 'four', 'five'])
    await stopThird()
  })

  test('one process relays at a time; another takes over from one that says nothing, which stores nothing any more', async () => {
    await using stage = await createStage()
    const stuck = await stage.openPublisher()
    let letGo = () => {}
    let isStuck = false
    const late: unknown[] = []
    const stopStuck = stage.relay({
      resume: () => stuck.resume(),
      publish: async (events) => {
        if (events.length === 0) return
        isStuck = true
        await new Promise<void>((resolve) => (letGo = resolve))
        await stuck.publish(events).catch((error: unknown) => late.push(error))
      },
    })
    await vi.waitUntil(stage.isLed, soon)
    await stage.say('one')
    await vi.waitUntil(() => isStuck, soon)
    const stopOther = stage.relay(await stage.openPublisher())
    await untilStored(stage, ['one'])
    await stage.say('two')
    await untilStored(stage, ['one', 'two'])
    letGo()
    await vi.waitUntil(() => late.length > 0, soon)
    expect(String(late[0])).toContain('Another process has relayed')
    await stage.say('three')
    await untilStored(stage, ['one', 'two', 'three'])
    await stopStuck()
    await stopOther()
  })

  test('wait while the broker is away, and are written all the same', async () => {
    await using stage = await createStage()
    const stop = stage.relay(await stage.openPublisher())
    await vi.waitUntil(stage.isLed, soon)
    await stage.say('one')
    await untilStored(stage, ['one'])
    await stage.nats.kill()
    for (const content of ['two', 'three']) await stage.say(content)
    await stage.nats.restart()
    await untilStored(stage, ['one', 'two', 'three'])
    await stop()
  })
})
