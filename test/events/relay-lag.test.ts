import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { sendMessage } from '../../src/domain/chat.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { NatsLink } from '../../src/nats/connection.ts'
import { collectMetrics, openMetrics } from '../../src/process/metrics/metrics.ts'
import { exposition } from '../../src/telemetry/exposition.ts'
import { createTestContext } from '../support/context.ts'

const own = await createTestContext()
afterAll(() => own[Symbol.asyncDispose]())
const ada = await own.user('ada')
const principal = { kind: 'user', userId: ada.id, username: 'ada', clientId: null, scopes } as const
const say = () => sendMessage({ ...own.context, principal }, { room_name: 'ada', content: 'hello' })

/** `event_relay_lag` as a process tells it; undefined where it tells none. */
async function relayLag(): Promise<number | undefined> {
  const metrics = await openMetrics(readConfig({ METRICS_PORT: '9464' }))
  if (!metrics) throw new Error('METRICS_PORT opens the metrics')
  const text = await exposition(await collectMetrics({ metrics, contextOf: () => own.context }, true))
  const [, value] = /^event_relay_lag (\d+)$/m.exec(text) ?? []
  return value === undefined ? undefined : Number(value)
}

test('where NATS is to bring events and nobody has ever relayed one, all of them are behind', async () => {
  await using _link = new NatsLink(own.context.log)
  const before = (await relayLag()) ?? Number.NaN
  await say()
  expect(await relayLag()).toBe(before + 1)
})

test('events are behind from where the relay has come to', async () => {
  await using _link = new NatsLink(own.context.log)
  await own.context.db.execute(sql`insert into event_relay (id, position) select 1, last_value from event_positions`)
  expect(await relayLag()).toBe(0)
  await say()
  expect(await relayLag()).toBe(1)
})

test('where NATS is not used any more nothing is behind', async () => {
  expect(await relayLag()).toBeUndefined()
})
