import { eq } from 'drizzle-orm'
import type { Locator, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { apiKeys, webhookSubscriptions } from '../../src/db/schema/index.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn } from './support/browser.ts'
import { callsOf, makeApplication, type OwnCalls } from './support/calls.ts'
import { openDatedBrowser } from './support/dated-product.ts'

const HOUR_MS = 3_600_000
const CLICKS_MAX = 3
/** Of the way from the overview to the words that explain, on a machine that may be busy. */
const FOUND_WITHIN_MS = 20_000
const ANOTHER_SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

/** What is read at last, and on the way there what is pressed. */
type Way = { presses: ((page: Page) => Locator)[]; words: (string | RegExp)[] }

const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' })
const row = (text: string) => (page: Page) =>
  attention(page).getByRole('listitem').filter({ hasText: text }).getByRole('link').first()
const newestDelivery = (page: Page) =>
  page.getByRole('region', { name: 'Newest deliveries' }).getByRole('link', { name: 'chat.message.sent' }).first()
const failure = (code: string) => (page: Page) =>
  page.getByRole('region', { name: 'What failed' }).getByRole('row').filter({ hasText: code }).getByRole('link').first()
const explanation = (page: Page) =>
  page.getByRole('region', { name: 'Requests' }).getByRole('link', { name: 'Explain this answer' }).first()

const ways: Record<string, Way> = {
  'a receiver that answers 500': {
    presses: [row('/broken'), newestDelivery],
    words: ['500 Failed', 'The receiver itself failed: its log says why.', 'the disk is full'],
  },
  'a receiver with another secret': {
    presses: [row('/other-secret'), newestDelivery],
    words: ['401 Failed', /compare its signing secret with the Doctor/, 'No matching signature found'],
  },
  'a scope that is missing': {
    presses: [row('of the API'), failure('insufficient_scope'), explanation],
    words: ['403 insufficient_scope', /chat:write/, 'What to do:', /it takes the token of somebody who logs in/],
  },
  'a key that has expired': {
    presses: [row('of the API'), failure('invalid_token'), explanation],
    words: [
      '401 invalid_token',
      /\(expired 2 hours ago\)/,
      'What to do:',
      /An API key is not refreshed: make another one/,
    ],
  },
  'a webhook that is disabled': {
    presses: [row('/disabled')],
    words: [/For 5 days no attempt succeeded, and at least 20 failed\./, /can be replayed once you enable it again/],
  },
  'a receiver that is too slow': {
    presses: [row('/slow'), newestDelivery],
    words: ['E_DEADLINE', 'No answer within 15 seconds.'],
  },
}

describe.skipIf(!hasBrowser)('an account in which six things are wrong', () => {
  let browser: Awaited<ReturnType<typeof openDatedBrowser>>
  let receiver: Receiver
  let calls: OwnCalls
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openDatedBrowser()
    receiver = await startReceiver(({ path, headers, body }) => {
      if (path.endsWith('/slow')) return 'hang'
      if (path.endsWith('/broken')) return { status: 500, body: 'the disk is full' }
      try {
        new Webhook(ANOTHER_SECRET).verify(body.toString(), headers)
        return { status: 204 }
      } catch (error) {
        return { status: 401, body: (error as Error).message }
      }
    })
    const { page } = await browser.visit()
    await page.goto('/login?next=/console/developer')
    await logIn(page, browser.product.demo.users.outsider)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    calls = await callsOf(page, browser.product.base)
    await goWrong()
    await page.context().close()
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  async function goWrong() {
    const { id: application_id } = await makeApplication(calls, 'Webhooks')
    const subscribe = (name: string) =>
      calls.webhooks.create.mutate({
        application_id,
        url: `${receiver.url}/${name}`,
        event_types: ['chat.message.sent'],
        description: null,
      })
    for (const name of ['broken', 'other-secret', 'slow']) await subscribe(name)
    const { id } = await subscribe('disabled')
    await browser.db
      .update(webhookSubscriptions)
      .set({ status: 'disabled', disabledReason: 'failing', disabledAt: new Date(Date.now() - HOUR_MS) })
      .where(eq(webhookSubscriptions.id, id))
    const { base, demo } = browser.product
    await post(`${base}/v1/chat/messages`, demo.users.streamer.access_token)

    const ofApi = await makeApplication(calls, 'of the API')
    const key = (name: string) =>
      calls.applications.keys.create.mutate({ application_id: ofApi.id, name, scopes: ['channel:read'] })
    const [reader, old] = [await key('Reader'), await key('Old')]
    await browser.db
      .update(apiKeys)
      .set({ expiresAt: new Date(Date.now() - 2 * HOUR_MS) })
      .where(eq(apiKeys.id, old.id))
    await post(`${base}/v1/chat/messages`, old.key)
    await post(`${base}/v1/chat/messages`, reader.key)
    const found = async () => {
      const { subscriptions, failures, keys } = await calls.applications.attention.query({})
      return [subscriptions.filter(({ last_answer }) => last_answer).length, failures[0]?.count, keys.length]
    }
    await vi.waitFor(async () => expect(await found()).toEqual([3, 2, 1]), { timeout: 45_000, interval: 500 })
  }

  const post = (url: string, credential: string) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}` },
      body: new URLSearchParams({ room_name: 'streamer', content: 'Hello' }),
    })

  test.for([1280, 390])(
    'each is found and explained in three clicks from the overview, at %d px',
    async (width, { annotate }) => {
      const { page, faults } = await browser.visit({ viewport: { width, height: 844 } })
      await page.goto('/login?next=/console/developer')
      await logIn(page, browser.product.demo.users.outsider)
      await attention(page).getByText('API keys that end').waitFor()
      await pictureOf(page, `six-wrong-things-${width}`)
      for (const [name, { presses, words }] of Object.entries(ways)) {
        await page.goto('/console/developer')
        const begunMs = performance.now()
        for (const press of presses) await press(page).click()
        for (const text of words) await page.locator('#main').getByText(text).first().waitFor()
        const ms = Math.round(performance.now() - begunMs)
        await annotate(`${name}: ${presses.length} clicks, ${ms} ms`)
        expect(presses.length).toBeLessThanOrEqual(CLICKS_MAX)
        expect(ms, name).toBeLessThan(FOUND_WITHIN_MS)
        await pictureOf(page, `wrong-${name.replaceAll(' ', '-')}-${width}`)
      }
      expect(faults).toEqual([])
    },
  )
})
