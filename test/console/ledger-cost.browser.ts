import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'

const MESSAGES = 10

describe.skipIf(!hasBrowser)('what is shown live', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let receiver: Receiver
  let subscription = ''
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    receiver = await startReceiver()
    const response = await fetch(`${browser.product.base}/v1/events/subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${browser.product.demo.api_key}` },
      body: new URLSearchParams({ url: receiver.url, event_types: 'chat.message.sent' }),
    })
    subscription = ((await response.json()) as { data: { id: string } }).data.id
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })
  const say = (content: string) =>
    fetch(`${browser.product.base}/v1/chat/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${browser.product.demo.users.streamer.access_token}` },
      body: new URLSearchParams({ room_name: 'streamer', content }),
    })

  test.each(['/deliveries', '/deliveries?subscription='])(
    'at %s is asked for again at most once a second, however much happens',
    async (path) => {
      const { page } = await browser.visit()
      const address = `/console/developer${path}${path === '/deliveries' ? '' : subscription}`
      await page.goto(`/login?next=${encodeURIComponent(address)}`)
      await logIn(page, browser.product.demo.users.streamer)
      await page.getByText('Live', { exact: true }).waitFor()
      const asked = new Map<string, number>()
      page.on('request', (request) => {
        const procedures = new URL(request.url()).pathname.split('/trpc/')[1]?.split(',') ?? []
        for (const name of procedures) asked.set(name, (asked.get(name) ?? 0) + 1)
      })
      const [begunMs, before] = [performance.now(), receiver.requests.length]
      for (let n = 0; n < MESSAGES; n++) expect((await say(`${path} ${n}`)).status).toBe(201)
      await receiver.received(before + MESSAGES)
      const delivered = page.locator('tbody tr[data-outcome="delivered"]')
      await expect.poll(() => delivered.count(), { timeout: 15_000 }).toBe(before + MESSAGES)
      const seconds = (performance.now() - begunMs) / 1_000
      const often = [...asked].filter(([, count]) => count > seconds + 2)
      expect(often, `in ${seconds.toFixed(1)} s of ${[...asked].map(String)}`).toEqual([])
      await page.context().close()
    },
  )
})
