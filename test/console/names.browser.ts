import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { apiKeys } from '../../src/db/schema/index.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn } from './support/browser.ts'
import { callsOf } from './support/calls.ts'
import { openDatedBrowser } from './support/dated-product.ts'

const [APPLICATION, KEY, WEBHOOK] = ['بوت', 'مفتاح', 'وصف']

/**
 * Words of a right-to-left script that turn the text around them: neither in an element or between marks that isolate them, nor the only
 * words of their line.
 */
const turning = `(() => {
  const ofScript = /[\\u0600-\\u06ff]/
  const found = []
  const walker = document.createTreeWalker(document.querySelector('#main'), NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode
    if (!ofScript.test(data.replace(/\\u2068[^\\u2069]*\\u2069/g, '')) || parentElement.closest('bdi')) continue
    let line = parentElement
    while (['inline', 'contents'].includes(getComputedStyle(line).display)) line = line.parentElement
    if (/[^\\u0600-\\u06ff\\s]/.test(line.textContent)) found.push(line.textContent)
  }
  return found
})()`

describe.skipIf(!hasBrowser)('what developers call things, in whatever script', () => {
  let browser: Awaited<ReturnType<typeof openDatedBrowser>>
  let receiver: Receiver
  let page: Page
  const at = { application: '', webhook: '', delivery: '', request: '' }
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openDatedBrowser()
    receiver = await startReceiver(() => ({ status: 500 }))
    page = (await browser.visit()).page
    await page.goto('/login?next=/console/developer')
    await logIn(page, browser.product.demo.users.outsider)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const { base, demo } = browser.product
    const calls = await callsOf(page, base)
    const { id: application_id } = await calls.applications.create.mutate({ name: APPLICATION, confidential: true })
    const { id, key } = await calls.applications.keys.create.mutate({ application_id, name: KEY })
    const webhook = await calls.webhooks.create.mutate({
      ...{ application_id, url: receiver.url, event_types: ['chat.message.sent'], description: WEBHOOK },
    })
    await fetch(`${base}/v1/chat/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.users.streamer.access_token}` },
      body: new URLSearchParams({ room_name: 'streamer', content: 'Hello' }),
    })
    const refused = await fetch(`${base}/v1/channels/nobody`, { headers: { authorization: `Bearer ${key}` } })
    const inAnHour = new Date(Date.now() + 3_600_000)
    await browser.db.update(apiKeys).set({ expiresAt: inAnHour }).where(eq(apiKeys.id, id))
    const isWrong = async () => {
      const { subscriptions, failures, keys } = await calls.applications.attention.query({})
      expect([subscriptions[0]?.last_answer?.status, failures.length, keys.length]).toEqual([500, 1, 1])
    }
    await vi.waitFor(isWrong, { timeout: 30_000, interval: 500 })
    const { items } = await calls.deliveries.list.query({ application_id })
    Object.assign(at, { application: application_id, webhook: webhook.id, delivery: items[0]?.id })
    at.request = refused.headers.get('x-request-id') ?? ''
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  test.each([
    ['', APPLICATION],
    ['/applications', APPLICATION],
    ['/applications/:application', APPLICATION],
    ['/applications/:application/keys', KEY],
    ['/applications/:application/webhooks', WEBHOOK],
    ['/applications/:application/usage', KEY],
    ['/applications/:application/requests', KEY],
    ['/applications/:application/log', KEY],
    ['/webhooks', WEBHOOK],
    ['/webhooks/new', APPLICATION],
    ['/webhooks/:webhook', WEBHOOK],
    ['/webhooks/:webhook/edit', WEBHOOK],
    ['/deliveries', WEBHOOK],
    ['/deliveries/:delivery', undefined],
    ['/requests/:request', KEY],
    ['/playground', APPLICATION],
    ['/quick-start', APPLICATION],
  ])('turn no text around them at /developer%s', async (path, name) => {
    const address = path.replace(/:(\w+)/, (_, what: keyof typeof at) => at[what])
    await page.goto(`/console/developer${address}`)
    await page.locator('#main h1').waitFor()
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
    if (name) await expect.poll(() => page.locator('#main').textContent()).toContain(name)
    expect(await page.evaluate(turning)).toEqual([])
    if (path === '') await pictureOf(page, 'names')
  })
})
