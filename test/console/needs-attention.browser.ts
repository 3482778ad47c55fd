import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeys, webhookAttempts, webhookDeliveriesDone, webhookSubscriptions } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { axe, faultsOf, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, type Visitor } from './support/browser.ts'
import { callsOf, makeApplication, type OwnCalls } from './support/calls.ts'
import { openDatedBrowser } from './support/dated-product.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const ago = (ms: number) => new Date(Date.now() - ms)
const event_types = ['chat.message.sent']

describe.skipIf(!hasBrowser)('the overview of a developer', () => {
  let browser: Awaited<ReturnType<typeof openDatedBrowser>>
  let receivers: { good: Receiver; bad: Receiver }
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openDatedBrowser()
    receivers = {
      good: await startReceiver(),
      bad: await startReceiver(() => ({ status: 500, body: 'Out of memory' })),
    }
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await receivers?.good[Symbol.asyncDispose]()
    await receivers?.bad[Symbol.asyncDispose]()
  })

  describe.each([
    { width: 1280, who: 'viewer' },
    { width: 390, who: 'outsider' },
  ] as const)('at $width px', ({ width, who }) => {
    let visitor: Visitor
    let calls: OwnCalls
    let application: { id: string; key: string }
    const attention = () => visitor.page.getByRole('region', { name: 'Needs attention' })
    const itemOf = (text: string | RegExp) => attention().getByRole('listitem').filter({ hasText: text })
    const open = async () => {
      await visitor.page.goto('/console/developer')
      await attention().getByRole('status').waitFor({ state: 'detached' })
    }
    const ask = (path: string) =>
      fetch(browser.product.base + path, { headers: { authorization: `Bearer ${application.key}` } })
    /** Somebody writes to the streamer, which every subscription here hears of. */
    const say = (content: string) =>
      fetch(`${browser.product.base}/v1/chat/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${browser.product.demo.users.streamer.access_token}` },
        body: new URLSearchParams({ room_name: 'streamer', content }),
      })
    const subscribe = (url: string) =>
      calls.webhooks.create.mutate({ application_id: application.id, url, event_types, description: null })

    beforeAll(async () => {
      if (!hasBrowser) return
      visitor = await browser.visit({ viewport: { width, height: 844 } })
      await visitor.page.goto('/login?next=/console/developer')
      await logIn(visitor.page, browser.product.demo.users[who])
      await visitor.page.getByRole('heading', { name: 'Overview' }).waitFor()
      calls = await callsOf(visitor.page, browser.product.base)
    })

    test('says in one line that all is well, and shows the first steps until they are done', async () => {
      const { page } = visitor
      await attention().getByText('Nothing. Everything works.').waitFor()
      expect(await page.locator('#main h2').first().textContent()).toBe('Needs attention')
      const steps = page.getByRole('region', { name: 'Where to begin' })
      expect(await steps.getByRole('listitem').count()).toBe(4)
      expect(await steps.getByText('Done', { exact: true }).count()).toBe(0)

      application = await makeApplication(calls, `App at ${width}`)
      await open()
      await steps.getByText('Done', { exact: true }).first().waitFor()
      expect(await steps.getByText('Done', { exact: true }).count()).toBe(1)
      expect((await ask('/v1/channels/streamer')).status).toBe(200)
      await subscribe(`${receivers.good.url}/${width}`)
      const before = receivers.good.requests.length
      await say(`Hello at ${width}`)
      await receivers.good.received(before + 1)
      await expect.poll(async () => (await calls.webhooks.list.query({})).items[0]?.last_success_at).not.toBeNull()
      await expect
        .poll(async () => (await calls.applications.list.query({})).items[0]?.last_called_at, { timeout: 15_000 })
        .not.toBeNull()
      await open()
      await attention().getByText('Nothing. Everything works.').waitFor()
      await page.getByRole('region', { name: 'How deliveries are doing' }).getByText('Longest wait now').waitFor()
      expect(await steps.count()).toBe(0)
      expect(await attention().getByRole('listitem').count()).toBe(0)
    })

    test('begins with what is wrong: what was answered last and when, what is done next, and where it is looked into', async () => {
      const { page } = visitor
      const { db } = browser
      const failing = await subscribe(`${receivers.bad.url}/failing-${width}`)
      const before = receivers.bad.requests.length
      await say(`Fail at ${width}`)
      await receivers.bad.received(before + 1)
      await expect.poll(() => calls.webhooks.get.query({ id: failing.id })).toMatchObject({ failed_attempts: 1 })
      const { items } = await calls.deliveries.list.query({ subscription: failing.id })
      await db
        .update(webhookAttempts)
        .set({ startedAt: ago(2 * MINUTE_MS) })
        .where(eq(webhookAttempts.deliveryId, items[0]?.id ?? ''))

      const warned = await subscribe(`http://127.0.0.1:9/warned-${width}`)
      await db
        .update(webhookSubscriptions)
        .set({ firstFailureAt: ago(3.5 * DAY_MS), failedAttempts: 30 })
        .where(eq(webhookSubscriptions.id, warned.id))
      const disabled = await subscribe(`http://127.0.0.1:9/gone-${width}`)
      await db
        .update(webhookSubscriptions)
        .set({ status: 'disabled', disabledReason: 'gone', disabledAt: ago(60 * MINUTE_MS) })
        .where(eq(webhookSubscriptions.id, disabled.id))
      const given = { type: 'chat.message.sent', subscriptionId: warned.id, outcome: 'failed', attempts: 10 } as const
      await db.insert(webhookDeliveriesDone).values(
        [1, 2].map((n) => ({
          ...given,
          id: newId('delivery', ago(n * MINUTE_MS)),
          eventId: newId('event', ago(n * MINUTE_MS)),
          createdAt: ago(n * MINUTE_MS),
          finishedAt: ago(n * MINUTE_MS),
        })),
      )
      for (const [name, days] of [
        ['Ends soon', -10],
        ['Is over', 2],
        ['Lives on', -20],
      ] as const) {
        const made = await calls.applications.keys.create.mutate({ application_id: application.id, name })
        await db
          .update(apiKeys)
          .set({ expiresAt: ago(days * DAY_MS) })
          .where(eq(apiKeys.id, made.id))
      }
      expect((await ask('/v1/channels/nobody')).status).toBe(404)
      await expect
        .poll(async () => (await calls.applications.attention.query({})).failures.length, { timeout: 30_000 })
        .toBe(1)

      await open()
      expect(await page.locator('#main h2').first().textContent()).toBe('Needs attention')
      await itemOf(`/failing-${width}`).getByText('Failing', { exact: true }).waitFor()
      expect(await itemOf(`/failing-${width}`).first().textContent()).toMatch(
        /Last answer: 500, 2 minutes ago\. Next attempt (in \d+ (seconds|minutes)|due now)\./,
      )
      const [wordsOfWarned, wordsOfGone] = [itemOf(`/warned-${width}`).first(), itemOf(`/gone-${width}`)]
      await wordsOfWarned.getByText('About to be disabled').waitFor()
      expect(await wordsOfWarned.textContent()).toMatch(/Repair the receiver now\. .*nothing more is sent from/)
      await itemOf(`/failing-${width}`).getByText('The receiver itself failed: its log says why.').waitFor()
      await wordsOfGone.getByText('Disabled', { exact: true }).waitFor()
      expect(await wordsOfGone.textContent()).toContain('Disabled 1 hour ago: its receiver answered 410 (Gone).')
      await itemOf('2 failed').getByText('They can be sent again.').waitFor()
      await itemOf('Ends soon')
        .getByText(/ends in 10 days/)
        .waitFor()
      await itemOf('Is over').getByText('Whoever still uses it is refused: make a new one.').waitFor()
      expect(await itemOf('Lives on').count()).toBe(0)
      await itemOf('1 failed')
        .getByText(/GET \/v1\/channels\/\{slug\}.* answered 404 channel_not_found/)
        .waitFor()
      await pictureOf(page, `attention-${width}`)
      await page.evaluate(axe)
      expect(await faultsOf(page, [width])).toEqual([])
    })

    test.each([
      ['/failing-', '/developer/webhooks/sub_', 'Edit'],
      ['Ends soon', '/keys', 'Create key'],
    ])('leads from %s to where something is done about it', async (text, address, action) => {
      await open()
      await itemOf(text).getByRole('link').first().click()
      await visitor.page.getByText(action, { exact: true }).first().waitFor()
      expect(visitor.page.url()).toContain(address)
    })

    test('leads from deliveries that were given up to these alone, from refusals to the log of what failed', async () => {
      const { page } = visitor
      await open()
      await itemOf('2 failed').getByRole('link').click()
      const rows = page.getByRole('region', { name: 'Ledger' }).locator('tbody tr')
      await rows.nth(1).waitFor()
      expect(await rows.count()).toBe(2)
      expect(await rows.and(page.locator('[data-outcome="failed"]')).count()).toBe(2)
      await page.getByRole('button', { name: 'Replay' }).waitFor()
      await page.goBack()
      await itemOf('1 failed').getByRole('link').click()
      await page.getByRole('region', { name: 'What failed' }).getByText('404 channel_not_found').waitFor()
      expect(new URL(page.url()).search).toBe('?status=failed')
      expect(visitor.faults).toEqual([])
    })
  })
})
