import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { axe, faultsOf, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, openBrowser, type Visitor } from './support/browser.ts'
import { callsOf, type OwnCalls } from './support/calls.ts'

const focused = `document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent`

describe.skipIf(!hasBrowser)('search by Ctrl-K', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let receiver: Receiver
  /** What belongs to the streamer, by its kind. */
  let own: Record<'application' | 'webhook' | 'delivery' | 'event' | 'message' | 'key' | 'request', string>

  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    receiver = await startReceiver()
    const { page } = await browser.visit()
    await page.goto('/login?next=/console/developer')
    await logIn(page, browser.product.demo.users.streamer)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    own = await make(await callsOf(page, browser.product.base))
    await page.context().close()
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  async function make(calls: OwnCalls): Promise<typeof own> {
    const { base, demo } = browser.product
    const application = demo.client.client_id
    const { id: webhook } = await calls.webhooks.create.mutate({
      application_id: application,
      url: `${receiver.url}/findable`,
      event_types: ['chat.message.sent'],
      description: 'For the dashboard',
    })
    const said = await fetch(`${base}/v1/chat/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.users.viewer.access_token}` },
      body: new URLSearchParams({ room_name: 'streamer', content: 'Find me' }),
    })
    const { data } = (await said.json()) as { data: { id: string } }
    await receiver.received(1)
    const { items } = await calls.deliveries.list.query({ subscription: webhook })
    const keys = await calls.applications.keys.list.query({ application_id: application })
    const refused = await fetch(`${base}/v1/channels/nobody`, { headers: { authorization: `Bearer ${demo.api_key}` } })
    const request = refused.headers.get('x-request-id') ?? ''
    await vi.waitFor(() => calls.requests.explain.query({ request_id: request }), { timeout: 30_000, interval: 500 })
    const [delivery] = items
    return {
      ...{ application, webhook, message: data.id, key: keys.items[0]?.id ?? '', request },
      ...{ delivery: delivery?.id ?? '', event: delivery?.event_id ?? '' },
    }
  }

  describe.each([1280, 390])('at %d px', (width) => {
    let visitor: Visitor
    const field = () => visitor.page.getByRole('combobox', { name: 'Search' })
    const options = () => visitor.page.getByRole('option')
    const enter = async (who: 'streamer' | 'outsider') => {
      const one = await browser.visit({ viewport: { width, height: 844 } })
      await one.page.goto('/login?next=/console/developer')
      await logIn(one.page, browser.product.demo.users[who])
      await one.page.getByRole('heading', { name: 'Overview' }).waitFor()
      return one
    }
    beforeAll(async () => {
      if (hasBrowser) visitor = await enter('streamer')
    })
    /** By the keyboard alone. */
    const type = async (text: string) => {
      await visitor.page.keyboard.press('Control+k')
      await field().and(visitor.page.locator(':focus')).waitFor()
      await visitor.page.keyboard.insertText(text)
    }

    test.each([
      { kind: 'application', word: 'Application', address: /\/developer\/applications\/cli_\w+$/ },
      { kind: 'webhook', word: 'Webhook', address: /\/developer\/webhooks\/sub_\w+$/ },
      { kind: 'delivery', word: 'Delivery', address: /\/developer\/deliveries\/dlv_\w+$/ },
      { kind: 'event', word: 'Delivery', address: /\/developer\/deliveries\/dlv_\w+$/ },
      { kind: 'message', word: 'Message', address: /\/studio\/chat/ },
      { kind: 'key', word: 'API key', address: /\/developer\/applications\/cli_\w+\/keys$/ },
      { kind: 'request', word: 'Request', address: /\/developer\/requests\/[\w-]+$/ },
    ] as const)('finds the $kind with an identifier, and goes there', async ({ kind, word, address }) => {
      const { page } = visitor
      await page.goto('/console/developer')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await type(own[kind])
      await options().filter({ hasText: word }).first().waitFor()
      await page.getByText('1 found', { exact: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(address)
      await field().waitFor({ state: 'detached' })
      await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('H1')
    })

    test('takes every key behind Ctrl-K, however fast it comes, and gives the focus back', async () => {
      const { page } = visitor
      await page.goto('/console/developer')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      const button = page.getByRole('button', { name: 'Search, Ctrl K' })
      await button.focus()
      for (let n = 0; n < 3; n++) {
        await page.keyboard.press('Control+k')
        await page.keyboard.type('every letter')
        expect(await field().inputValue()).toBe('every letter')
        await page.keyboard.press('Escape')
        await field().waitFor({ state: 'detached' })
        expect(await page.evaluate(focused)).toBe('Search, Ctrl K')
      }
    })

    test('finds pages and webhooks by words and parts of a URL; arrows choose, Escape closes', async () => {
      const { page } = visitor
      await page.goto('/console/developer')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.getByRole('button', { name: 'Search, Ctrl K' }).focus()
      await type('hook/findable')
      await options().filter({ hasText: 'For the dashboard' }).waitFor()
      await field().fill('DASHBOARD')
      await options().filter({ hasText: '/hook/findable' }).waitFor()
      await field().fill('security')
      await options().nth(1).waitFor()
      const chosen = () => page.locator('[role="option"][aria-selected="true"]').textContent()
      const active = () => field().getAttribute('aria-activedescendant')
      const [first, firstId] = [await chosen(), await active()]
      await page.keyboard.press('ArrowDown')
      expect(await chosen()).not.toBe(first)
      expect(await active()).not.toBe(firstId)
      expect(await page.locator(`[id="${await active()}"]`).getAttribute('aria-selected')).toBe('true')
      await page.keyboard.press('ArrowUp')
      expect(await chosen()).toBe(first)
      await page.keyboard.press('ArrowUp')
      expect(await page.locator(`[id="${await active()}"]`).textContent()).toBe(await options().last().textContent())
      await pictureOf(page, `search-open-${width}`)
      await page.evaluate(axe)
      expect(await faultsOf(page, [width])).toEqual([])
      await page.keyboard.press('Escape')
      await field().waitFor({ state: 'detached' })
      expect(await page.evaluate(focused)).toBe('Search, Ctrl K')
    })

    test('finds nothing of what is somebody else’s', async () => {
      const { page } = visitor
      visitor = await enter('outsider')
      await type('findable')
      for (const text of ['findable', ...Object.values(own)]) {
        await field().fill(text)
        await visitor.page.getByText('Nothing of yours is like this.').waitFor()
        expect([text, await options().count()]).toEqual([text, 0])
      }
      expect(visitor.faults).toEqual([])
      await page.context().close()
    })
  })
})
