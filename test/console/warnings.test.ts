import { eq } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { describeTime } from '../../src/client/console/components/times.ts'
import { failureWords } from '../../src/client/console/developer/webhooks/failure-words.ts'
import { webhookSubscriptions } from '../../src/db/schema/index.ts'
import type { SubscriptionDetails } from '../../src/domain/webhooks/subscriptions/resources.ts'
import { createTestApp } from '../support/app.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const token = await app.token(['webhook:write'])

let id = ''
beforeEach(async () => {
  const body = { url: 'http://127.0.0.1:9/hook', event_types: ['channel.updated'] }
  id = (await app.request('POST /v1/events/subscriptions', { token, body })).body.data.id
})

/** What the console asks for. */
async function shown(): Promise<SubscriptionDetails> {
  const input = encodeURIComponent(JSON.stringify({ id }))
  const { body, text } = await app.request(`GET /trpc/webhooks.get?input=${input}`, { token })
  expect(body?.result, text).toBeDefined()
  return body.result.data
}
const change = (values: Partial<typeof webhookSubscriptions.$inferInsert>) =>
  app.context.db.update(webhookSubscriptions).set(values).where(eq(webhookSubscriptions.id, id))
const beginToFail = (failedAttempts: number) => change({ firstFailureAt: new Date(), failedAttempts })
const pass = (ms: number) => app.elapse(webhookSubscriptions, 'firstFailureAt', ms)

test('as time passes, `webhooks.get` warns from the first day on, and tells on which it is disabled', async () => {
  expect(await shown()).toMatchObject({ failing_since: null, warning_days: null, disables_at: null })
  await beginToFail(3)
  const days: (number | null)[] = []
  for (const ms of [0, DAY_MS - HOUR_MS, HOUR_MS, DAY_MS, DAY_MS - HOUR_MS, HOUR_MS]) {
    await pass(ms)
    const { warning_days, failing_since, disables_at } = await shown()
    days.push(warning_days)
    const fifth = new Date(Date.parse(failing_since ?? '') + 5 * DAY_MS).toISOString()
    expect(disables_at).toBe(warning_days === null ? null : fifth)
  }
  expect(days, 'at once, after 23 h, and after 1, 2, 2 d 23 h and 3 days').toEqual([null, null, 1, 2, 2, 3])
})

test('once it is disabled, or has succeeded, nothing is warned of any more', async () => {
  await beginToFail(30)
  await pass(4 * DAY_MS)
  await change({ status: 'disabled', disabledReason: 'owner', disabledAt: new Date() })
  expect(await shown()).toMatchObject({ warning_days: null, disables_at: null })
  await change({ status: 'enabled', disabledReason: null, disabledAt: null, firstFailureAt: null })
  expect(await shown()).toMatchObject({ warning_days: null, disables_at: null })
})

test('the console says that it fails, from the first day on when it will be disabled, and from the third more urgently', async () => {
  await beginToFail(30)
  expect(failureWords(await shown())).toMatchObject({ tone: 'warn', status: 'Failing', warning: null })
  await pass(DAY_MS)
  const first = await shown()
  const mild = failureWords(first)
  await pass(2 * DAY_MS)
  const third = await shown()
  const urgent = failureWords(third)
  expect([mild.tone, urgent.tone]).toEqual(['warn', 'bad'])
  expect(mild.warning).toContain(`will be disabled on ${describeTime(first.disables_at ?? '', undefined)}`)
  expect(urgent.warning).toContain(`nothing more is sent from ${describeTime(third.disables_at ?? '', undefined)}`)
  expect(urgent.title).toContain('About to be disabled')
  expect(new Set([mild.title, urgent.title, mild.status, urgent.status]).size).toBe(4)
})

test('with fewer than 20 failures it is not the date alone that disables, and the console says so', async () => {
  await beginToFail(3)
  await pass(DAY_MS)
  expect(failureWords(await shown()).warning).toContain('once 20 attempts have failed')
  await change({ failedAttempts: 20 })
  expect(failureWords(await shown()).warning).not.toContain('20 attempts')
})
