import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { axe, faultsOf, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'
import { callsOf } from './support/calls.ts'

const NARROW = 390

describe.skipIf(!hasBrowser)('the log of requests', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  /** Of the newest answer `channel_not_found`. */
  let requestId = ''
  const log = () => `/console/developer/applications/${browser.product.demo.client.client_id}/requests`

  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    const { base, demo } = browser.product
    const ask = (path: string, credential = demo.api_key) =>
      fetch(base + path, { headers: { authorization: `Bearer ${credential}` } })
    for (let n = 0; n < 3; n++) requestId = (await ask('/v1/channels/nobody')).headers.get('x-request-id') ?? ''
    await ask('/v1/livestreams/nothing')
    await ask('/v1/channels/streamer')
    await ask('/v1/categories/?limit=many')
    const { page } = await browser.visit()
    await page.goto('/login?next=/console/developer')
    await logIn(page, demo.users.streamer)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const calls = await callsOf(page, base)
    const { client_id: application_id } = demo.client
    const written = async () => {
      const { groups } = await calls.requests.summary.query({ application_id })
      expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(5)
      const { requests } = await calls.usage.get.query({ application_id, span: 'day' })
      expect(requests.reduce((sum, one) => sum + one.errors, 0)).toBe(5)
    }
    await vi.waitFor(written, { timeout: 30_000, interval: 500 })
    await page.context().close()
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  describe.each([1280, NARROW])('at %d px', (width) => {
    let page: Page
    let faults: string[]
    beforeAll(async () => {
      if (!hasBrowser) return
      ;({ page, faults } = await browser.visit({ viewport: { width, height: 844 } }))
      await page.goto('/login?next=/console/developer')
      await logIn(page, browser.product.demo.users.streamer)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
    })
    const failed = () => page.getByRole('region', { name: 'What failed' })
    const rows = () => page.getByRole('region', { name: 'Requests' }).getByRole('listitem')
    const unfold = async () => {
      if (width === NARROW) await page.getByRole('button', { name: /^Filters/ }).click()
    }
    const search = () => Object.fromEntries(new URL(page.url()).searchParams)

    test('is where the numbers of the usage lead: all errors, and those of one operation', async () => {
      await page.goto(log().replace(/requests$/, 'usage'))
      const errors = page.getByRole('region', { name: 'Requests', exact: true }).getByRole('link', { name: '5' })
      await errors.click()
      await failed().waitFor()
      await expect.poll(() => rows().count()).toBe(5)
      expect(search()).toEqual({ status: 'failed' })
      await page.goBack()
      await page
        .getByRole('row')
        .filter({ hasText: /channels.*slug/ })
        .getByRole('link', { name: '3' })
        .click()
      await failed().waitFor()
      await expect.poll(() => rows().count()).toBe(3)
      expect(search()).toEqual({ operation: 'GET /v1/channels/{slug}', status: 'failed' })
    })

    test('says what failed by operation and code, how often, and narrows to it', async () => {
      await page.goto(log())
      await failed().getByRole('row').nth(3).waitFor()
      const told = await failed().getByRole('row').allTextContents()
      expect(told.slice(1).map((text) => /\d{3} [a-z_]+/.exec(text)?.[0])).toEqual(
        expect.arrayContaining(['404 channel_not_found', '404 livestream_not_found', '400 invalid_request']),
      )
      expect(told.find((text) => text.includes('channel_not_found'))).toMatch(/No channel has this slug\.3/)
      await failed().getByRole('row').filter({ hasText: 'channel_not_found' }).getByRole('link').click()
      await expect.poll(() => rows().count()).toBe(3)
      expect(search()).toEqual({ operation: 'GET /v1/channels/{slug}', status: '404', code: 'channel_not_found' })
      await pictureOf(page, `request-log-filtered-${width}`)
    })

    test('keeps its filters in the address: after a reload, by the back button and as a link', async () => {
      await page.goto(log())
      await rows().nth(5).waitFor()
      await unfold()
      await page.getByLabel('Status').selectOption('4xx: refused')
      await page.waitForURL(/status=4xx/)
      await page.getByLabel('Code').selectOption('livestream_not_found')
      await expect.poll(() => rows().count()).toBe(1)
      const filtered = page.url()
      await page.reload()
      await rows().first().waitFor()
      expect([page.url(), await rows().count()]).toEqual([filtered, 1])
      await unfold()
      expect(await page.getByLabel('Status').inputValue()).toBe('4xx')
      expect(await page.getByLabel('Code').inputValue()).toBe('livestream_not_found')
      await page.goBack()
      await expect.poll(() => rows().count()).toBe(5)
      expect([search(), await page.getByLabel('Code').inputValue()]).toEqual([{ status: '4xx' }, ''])
      await page.goForward()
      await expect.poll(() => rows().count()).toBe(1)
      await page.getByLabel('Code').selectOption('')
      await page.getByLabel('Text').fill(requestId)
      await expect.poll(search).toEqual({ status: '4xx', text: requestId })
      await expect.poll(() => rows().count()).toBe(1)
      await rows().first().getByText('No channel has this slug.').waitFor()
      await page.getByLabel('Text').fill('nothing is like this')
      await page.waitForURL(/nothing/)
      await page.goBack()
      await expect.poll(() => page.getByLabel('Text').inputValue()).toBe(requestId)
      await page.goForward()
      await page.getByText('No request of the last seven days fits these filters.').waitFor()
    })

    test('explains an answer by its request id, pasted into the field or behind Ctrl-K', async () => {
      await page.goto(log())
      const told = async () => {
        await page.waitForURL(`**/developer/requests/${requestId}`)
        const answer = page.getByRole('region', { name: '404 channel_not_found' })
        await answer.getByText('No channel has this slug.', { exact: true }).waitFor()
        await answer.getByText('What to do:').waitFor()
        return answer
      }
      await page.getByRole('textbox', { name: 'Request id' }).fill(` ${requestId} `)
      await page.keyboard.press('Enter')
      await told()
      await page.goto('/console/developer')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.locator('[role="combobox"]:focus').waitFor()
      await page.keyboard.insertText(requestId)
      await page.getByRole('option', { name: /404 channel_not_found/ }).waitFor()
      await page.getByText('1 found').waitFor()
      await page.keyboard.press('Enter')
      const answer = await told()
      await answer.getByText(`${browser.product.demo.api_key.slice(-4)}`).waitFor()
      await page.evaluate(axe)
      expect(await faultsOf(page, [width])).toEqual([])
      await pictureOf(page, `explained-${width}`)
      expect(faults).toEqual([])
    })
  })
})
