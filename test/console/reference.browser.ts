import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'
import { callsOf, makeApplication } from './support/calls.ts'

const levels = `[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(({ tagName }) => Number(tagName[1]))`
/** What the fields of the page would send, the template of a JSON body aside. */
const filledIn = `[...document.querySelectorAll('#operations :is(input, select, textarea:not(.body-param__text))')]
  .filter(({ type }) => type !== 'checkbox')
  .map((field) => [field.closest('[data-param-name], [data-property-name]')?.textContent, [...(field.selectedOptions ?? [field])].map(({ value }) => value).join()])
  .filter(([place, value]) => place && value && value !== '--')`

describe.skipIf(!hasBrowser)('the reference page', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let page: Page
  let faults: string[]
  beforeAll(async () => {
    if (hasBrowser) browser = await openBrowser()
  })
  beforeEach(async () => {
    ;({ page, faults } = await browser.visit())
    page.setDefaultTimeout(60_000) // the viewer is large, and a machine may be busy
  })
  afterEach(() => page.context().close())
  afterAll(() => browser?.[Symbol.asyncDispose]())

  /** Opens an operation of the page and returns its part of it. */
  async function open(operationId: string, address = '/docs/'): Promise<Locator> {
    await page.goto(address)
    return unfold(operationId)
  }
  async function unfold(operationId: string): Promise<Locator> {
    const part = page.locator(`[id$="-${operationId}"]`)
    await part.locator('.opblock-summary-control').click()
    await part.getByRole('button', { name: 'Execute' }).waitFor()
    return part
  }
  const giveKey = async () => {
    await page.getByRole('button', { name: 'Authorize', exact: true }).first().click()
    await page.getByLabel('Value').first().fill(browser.product.demo.api_key)
    await page.getByRole('button', { name: 'Apply credentials' }).first().click()
    await page.getByRole('button', { name: 'Close' }).first().click()
  }
  async function execute(part: Locator): Promise<void> {
    await part.getByRole('button', { name: 'Execute' }).click()
    await part.locator('.live-responses-table .response-col_status').first().waitFor()
  }

  test('fills in no field by itself, also in forms', async () => {
    await open('listLivestreams')
    for (const operationId of ['getChannel', 'sendChatMessage', 'createToken', 'createSubscription']) {
      const part = await unfold(operationId)
      const type = part.getByLabel('Request content type')
      if ((await type.count()) > 0) await type.selectOption('application/x-www-form-urlencoded')
    }
    expect(await page.locator('[data-property-name="event_types"] select option').count()).toBeGreaterThan(5)
    expect(await page.locator('[data-param-name="Idempotency-Key"] input').count()).toBe(2)
    expect(await page.evaluate(filledIn)).toEqual([])
  })

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data'])(
    'sends a list in a form as %s',
    async (type) => {
      const part = await open('createSubscription')
      await giveKey()
      await part.getByLabel('Request content type').selectOption(type)
      await part.locator('[data-property-name="url"] input').fill('http://127.0.0.1:9/hook')
      const two = ['chat.message.sent', 'channel.updated']
      await part.locator('[data-property-name="event_types"] select').selectOption(two)
      await execute(part)
      const shown = await part.locator('.live-responses-table').textContent()
      expect(shown).toMatch(
        /"event_types": \[\s*"channel.updated",\s*"chat.message.sent"\s*\]|"chat.message.sent",\s*"channel.updated"/,
      )
      expect(shown).toContain('201')
    },
  )

  test('offers nothing that is the operator’s', async () => {
    await open('listChannels')
    await page.getByRole('button', { name: 'Authorize', exact: true }).first().click()
    const text = await page.locator('body').textContent()
    expect(text).toContain('/v1/channels/{slug}')
    expect(text).not.toMatch(/cron|Internal/i)
  })

  test('has one main part, its headings in order, and ways back', async () => {
    const part = await open('listChannels')
    await execute(part)
    expect(await page.locator('main').count()).toBe(1)
    const found: number[] = await page.evaluate(levels)
    expect(found[0]).toBe(1)
    expect(found.filter((level) => level === 1)).toHaveLength(1)
    expect(found.filter((level, place) => level - (found[place - 1] ?? 0) > 1)).toEqual([])
    for (const [name, path] of [
      ['Guides', '/docs/guides/'],
      ['Console', '/console/'],
    ] as const)
      expect(await page.getByRole('link', { name, exact: true }).first().getAttribute('href')).toBe(path)
  })

  test('makes calls with a token of one’s own, and says what is missing for that', async () => {
    const part = await open('getCurrentUser')
    const press = () => page.getByRole('button', { name: 'Use a token of mine' }).click()
    const told = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor()
    await press()
    await told('You are not logged in here. Log in and come back.')
    await page.goto('/login?next=/docs/')
    await logIn(page, browser.product.demo.users.outsider)
    await page.waitForURL('**/docs/')
    await press()
    await told('You have no application yet: make one.')
    const calls = await callsOf(page, browser.product.base)
    await makeApplication(calls, 'First of mine')
    await press()
    await told('Calls are made as you, by “First of mine”, for an hour.')
    await unfold('getCurrentUser')
    await execute(part)
    expect(await part.locator('.live-responses-table').textContent()).toContain('"username": "outsider"')

    await makeApplication(calls, 'Second of mine')
    await press()
    await page.getByLabel('Application').selectOption({ label: 'Second of mine' })
    await page.getByRole('button', { name: 'Take it' }).click()
    await told('by “Second of mine”')
    expect(faults).toEqual([])
  })

  test.each(['127.0.0.1', 'localhost'])('logs people in by authorization code with PKCE, at %s', async (host) => {
    const address = `${browser.product.base.replace('127.0.0.1', host)}/docs/`
    const part = await open('getCurrentUser', address)
    await page.getByRole('button', { name: 'Authorize', exact: true }).first().click()
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Apply given OAuth2 credentials' }).first().click(),
    ])
    expect(popup.url()).toContain('code_challenge_method=S256')
    await logIn(popup, browser.product.demo.users.viewer)
    await Promise.all([popup.waitForEvent('close'), popup.getByRole('button', { name: 'Allow' }).click()])
    await page.getByRole('button', { name: 'Remove authorization' }).first().waitFor()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await execute(part)
    expect(await part.locator('.live-responses-table').textContent()).toContain('"username": "viewer"')
    expect(faults).toEqual([])
  })
})
