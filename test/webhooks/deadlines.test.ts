import { afterEach, expect, test, vi } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { type Answer, startReceiver } from '../support/receiver.ts'

afterEach(() => void vi.useRealTimers())

test('a test delivery waits for its receiver as long as that may take, beyond the deadline of other calls', async () => {
  await using app = await createTestApp()
  let answer = () => {}
  const late = new Promise<Answer>((resolve) => {
    answer = () => resolve({ status: 204 })
  })
  await using receiver = await startReceiver(() => late)
  const token = await app.token(['webhook:write'], { client: await app.client() })
  const subscription = { url: receiver.url, event_types: ['chat.message.sent'] }
  const { body } = await app.request('POST /v1/events/subscriptions', { token, body: subscription })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const tested = app.request('POST /trpc/webhooks.test', { token, body: { id: body.data.id } })
  await receiver.received(1)
  await vi.advanceTimersByTimeAsync(9_800) // less than the driver keeps an idle connection
  answer()
  const tried = await tested
  vi.useRealTimers()
  expect(tried).toMatchObject({ status: 200, body: { result: { data: { status: 204 } } } })
})
