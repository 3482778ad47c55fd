import { expect, test } from 'vitest'
import { createSender, sendAttempt } from '../../src/domain/webhooks/http/send.ts'
import type { Claimed } from '../../src/domain/webhooks/queue/claim.ts'
import { DatabaseClock } from '../../src/domain/webhooks/queue/database-clock.ts'
import { settlementOf } from '../../src/domain/webhooks/queue/outcome.ts'
import { newSigningSecret, signingKey } from '../../src/domain/webhooks/secrets/sign.ts'
import { startReceiver } from '../support/receiver.ts'

const delivery: Claimed = {
  id: 'dlv_x',
  event_id: 'evt_x',
  type: 'webhook.test',
  subscription_id: 'sub_x',
  lane: 0,
  attempts: 0,
  claims: 1,
  pace: 'fast',
  lease: '',
  created_ms: 0,
  waited_for_us: true,
  fills_window: false,
}
const everyStatus = Array.from({ length: 400 }, (_, n) => 200 + n)
const promised = (status: number) => {
  if (status < 300) return 'finish delivered'
  return status === 410 ? 'finish gone' : 'retry'
}

test('each status from 200 to 599: 2xx is delivered, 410 ends the subscription, all others are tried again', async () => {
  await using receiver = await startReceiver(({ path }) => ({
    status: Number(path.slice(1)),
    headers: { 'retry-after': '9' },
  }))
  const sender = createSender({ targets: { allowPrivate: true, allowCidrs: [], proxyUrl: undefined } })
  const clock = new DatabaseClock(Date.now())
  const keys = [signingKey(newSigningSecret())]
  const settle = async (status: number) => {
    const url = new URL(`/${status}`, receiver.url).href
    const { signal } = new AbortController()
    const tried = await sendAttempt(sender, { delivery, url, payload: '{}', keys }, clock, signal)
    const content = { url, payload: '{}', secrets: [], sendWindow: 8, consecutiveFailures: 0 }
    return { tried, ...settlementOf({ delivery, content, attempt: tried, growsOnSuccess: () => false }) }
  }
  const settled = await Promise.all(everyStatus.map(settle))
  await sender.transport.close()
  const rows = settled.map(({ tried, outcome, health }, index) => {
    const how = outcome.kind === 'finish' ? `finish ${outcome.reason ?? outcome.result}` : outcome.kind
    return [everyStatus[index], tried.record.status, how, health?.halves, health?.goneUrl, health?.retryAfterS]
  })
  const isBusy = (status: number) => status === 429 || status === 503
  expect(rows).toEqual(
    everyStatus.map((status) => [
      status,
      status,
      promised(status),
      isBusy(status),
      status === 410 ? new URL('/410', receiver.url).href : null,
      isBusy(status) ? 9 : null,
    ]),
  )
  expect(receiver.requests, 'nothing is followed, nothing asked twice').toHaveLength(everyStatus.length)
})
