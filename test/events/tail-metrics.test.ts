import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { relayEvents } from '../../src/domain/events/relay.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { collectMetrics, openMetrics } from '../../src/process/metrics/metrics.ts'
import { exposition } from '../../src/telemetry/exposition.ts'
import { createTestApp } from '../support/app.ts'
import { readSse } from './support/sse.ts'

const { wake, onWake } = new WakeHub()
let isHeard = true
const POLL = { timeout: 5_000 }
const app = await createTestApp({ wake: (channel) => isHeard && wake(channel), onWake })
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const token = await app.token(['chat:read'], { user: ada })
const context: UserContext = {
  ...app.context,
  principal: { kind: 'user', userId: ada.id, username: 'ada', clientId: null, scopes },
}

/** The metrics of the tail, by what stands behind `event_tail_`. */
async function metricsOfTail(): Promise<Record<string, number>> {
  const metrics = await openMetrics(readConfig({ METRICS_PORT: '9464' }))
  if (!metrics) throw new Error('METRICS_PORT opens the metrics')
  const text = await exposition(await collectMetrics({ metrics, contextOf: () => undefined }, false))
  return Object.fromEntries(
    [...text.matchAll(/^event_tail_(\S+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  )
}

/** What one message adds to the metrics once a stream has heard it, late by so many seconds; behind so many others. */
async function added(lateS: number, others = 0) {
  using live = await readSse(`${app.base}/v1/events`, { authorization: `Bearer ${token}` })
  await live.take(1)
  const hear = async () => {
    app.clock.at = new Date(Date.now() - lateS * 1_000)
    await sendMessage(context, { room_name: 'ada', content: 'hello' })
    await live.take(1)
  }
  for (let n = 0; n < others; n++) await hear()
  const before = await metricsOfTail()
  await hear()
  const after = await metricsOfTail()
  return (name: string) => (after[name] ?? Number.NaN) - (before[name] ?? Number.NaN)
}

test('a live event is counted with how late it was told', async () => {
  const of = await added(0)
  expect([of('events_total'), of('lag_seconds_count'), of('lag_seconds_bucket{le="60"}')]).toEqual([1, 1, 1])
})

test('one that is told late is in a bucket above that of its alert', async () => {
  const { groups } = parse(readFileSync('ops/prometheus/alerts.yml', 'utf8'))
  const rules = groups.flatMap((group: { rules: { alert: string; expr: string }[] }) => group.rules)
  const { expr } = rules.find(({ alert }: { alert: string }) => alert === 'LiveEventsLate')
  const [, name = '', bound = ''] = /event_tail_(\w+_bucket).* > (\d+)$/.exec(expr) ?? []
  const of = await added(Number(bound) + 1)
  expect([of(`${name}{le="${bound}"}`), of(`${name}{le="+Inf"}`)]).toEqual([0, 1])
})

test('an event that no notification told of is found, and counted as a fallback', async () => {
  isHeard = false
  const of = await added(0, 1) // the first one may be read because its reader has just come
  expect([of('events_total'), of('fallbacks_total')]).toEqual([1, 1])
})

test('what a process relays, it tells no stream: behind an outage of the broker that is late, and nobody’s loss', async () => {
  const stop = new AbortController()
  let relayed = 0
  const publisher = {
    resume: async () => undefined,
    publish: async (events: readonly unknown[]) => {
      relayed += events.length
    },
  }
  const before = await metricsOfTail()
  const work = relayEvents({ ...app.context, onWake }, publisher, stop.signal)
  await expect
    .poll(() => app.context.db.execute(sql`select 1 from event_relay where holder is not null`), POLL)
    .toHaveLength(1)
  await sendMessage(context, { room_name: 'ada', content: 'hello' })
  await expect.poll(() => relayed, POLL).toBe(1)
  stop.abort()
  await work
  expect(await metricsOfTail()).toEqual(before)
})
