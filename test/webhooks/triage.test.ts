import { expect, test } from 'vitest'
import type { Claimed } from '../../src/domain/webhooks/queue/claim.ts'
import { DatabaseClock } from '../../src/domain/webhooks/queue/database-clock.ts'
import type { LoadedDelivery } from '../../src/domain/webhooks/queue/load.ts'
import { triage } from '../../src/domain/webhooks/queue/triage.ts'

const row: Claimed = {
  ...{
    id: 'dlv_x',
    event_id: 'evt_x',
    type: 'webhook.test',
    subscription_id: 'sub_x',
    lane: 0,
    lease: '',
    pace: 'fast',
  },
  ...{ attempts: 0, claims: 1, created_ms: 0, waited_for_us: true, fills_window: false },
}
const content = {
  payload: '{}',
  url: 'https://hooks.customer.com/',
  secrets: [],
  sendWindow: 8,
  consecutiveFailures: 0,
}
const loaded: LoadedDelivery = { kind: 'content', content }
/** A clock that was read this long ago, at the claim. */
const readBefore = (ms: number) => new DatabaseClock(Date.now(), performance.now() - ms)

test('a worker that stood still between its claim and its attempts begins none that could outlive the lease', () => {
  expect(triage(row, loaded, readBefore(14_000), false)).toHaveProperty('send')
  for (const ms of [15_100, 29_000, 31_000]) {
    expect(triage(row, loaded, readBefore(ms), false)).toMatchObject({
      settle: { outcome: { kind: 'release', delayS: 0 } },
    })
  }
})

test('a row that was handed out five times more often than it was tried is poison; one that was tried is not', () => {
  const fate = (claims: number, attempts: number) => triage({ ...row, claims, attempts }, loaded, readBefore(0), false)
  expect(fate(5, 0)).toHaveProperty('send')
  expect(fate(6, 0)).toMatchObject({ settle: { outcome: { kind: 'finish', result: 'failed', reason: 'poison' } } })
  expect(fate(9, 4)).toHaveProperty('send')
})
