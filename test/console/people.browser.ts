import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'

const focused = `(document.activeElement?.textContent || document.activeElement?.getAttribute('data-path') || document.activeElement?.tagName)`
const NARROW = 390

describe.skipIf(!hasBrowser).each([1280, NARROW])('people at %d px', (width) => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let page: Page
  let faults: string[]
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    ;({ page, faults } = await browser.visit({
      viewport: { width, height: 844 },
      hasTouch: width === NARROW,
      timezoneId: 'Europe/Berlin',
      locale: 'de-DE',
      permissions: ['clipboard-read', 'clipboard-write'],
    }))
    await page.goto('/login?next=/console/developer')
    await logIn(page, browser.product.demo.users.streamer)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  const open = async (path: string) => {
    await page.goto(path)
    await page.locator('#main h1').waitFor()
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  }
  const unfoldNavigation = async () => {
    if (width === NARROW) await page.getByRole('button', { name: 'Navigation' }).click()
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const keysPath = () => `/console/developer/applications/${browser.product.demo.client.client_id}/keys`

  test('are at the heading of a page after they have gone to it', async () => {
    await open('/console/developer')
    await unfoldNavigation()
    await page.getByRole('link', { name: 'Applications', exact: true }).click()
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor()
    expect(await page.evaluate(focused)).toBe('Applications')
  })

  test('are at the first wrong field after a refusal, whoever found it, and hear of it', async () => {
    await open('/console/developer/applications/new')
    await page.getByRole('textbox', { name: 'Website' }).fill('example')
    await press('Create application')
    await page.getByRole('alert').filter({ hasText: '3 fields have to be changed.' }).waitFor()
    expect(await page.evaluate(focused)).toBe('name')
    const name = page.getByRole('textbox', { name: 'Name' })
    expect(await name.getAttribute('aria-invalid')).toBe('true')
    const told = (await name.getAttribute('aria-describedby')) ?? ''
    const texts = await Promise.all(
      told
        .split(' ')
        .filter(Boolean)
        .map((id) => page.locator(`[id="${id}"]`).textContent()),
    )
    expect(texts).toContain('Fill this in.')
    await page.getByText('Write a whole address, such as https://example.com.').waitFor()

    await name.fill('Refused')
    await page.getByRole('textbox', { name: 'Website' }).fill('ftp://example.com')
    await page.getByLabel('channel:read').check()
    await press('Create application')
    await page.getByRole('alert').filter({ hasText: 'One field has to be changed.' }).waitFor()
    expect(await page.evaluate(focused)).toBe('website_url')
    expect(await name.inputValue()).toBe('Refused')
  })

  test('are asked before what they have typed goes, by a link, a dialog or the window', async () => {
    await open(keysPath())
    await press('Create key')
    const form = page.getByRole('dialog', { name: 'Create an API key' })
    await form.getByRole('textbox', { name: 'Name' }).fill('Typed')
    await page.keyboard.press('Escape')
    await press('Go on typing')
    expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Typed')
    const [asked] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })])
    expect(asked.type()).toBe('beforeunload')
    await asked.dismiss()
    await form.getByRole('button', { name: 'Cancel' }).click()

    await page.goto('/console/account')
    await page.getByLabel('Bio').fill('Not saved yet')
    await unfoldNavigation()
    await page.getByRole('link', { name: 'Sessions', exact: true }).click()
    await page.getByRole('dialog', { name: 'Leave this page?' }).waitFor()
    await press('Stay')
    expect(await page.getByLabel('Bio').inputValue()).toBe('Not saved yet')
    await unfoldNavigation()
    await page.getByRole('link', { name: 'Sessions', exact: true }).click()
    await press('Leave')
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor()
  })

  test('are asked before a secret goes that is shown once', async () => {
    await open(keysPath().replace('/keys', ''))
    await page.getByRole('tab', { name: 'API keys' }).click()
    await press('Create key')
    const form = page.getByRole('dialog', { name: 'Create an API key' })
    await form.getByRole('textbox', { name: 'Name' }).fill(`Shown at ${width}`)
    await form.getByLabel('channel:read').check()
    await form.getByRole('button', { name: 'Create key' }).click()
    await page.getByTestId('secret').waitFor()
    const [asked] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })])
    expect(asked.type()).toBe('beforeunload')
    await asked.dismiss()
    const secret = await page.getByTestId('secret').textContent()
    await page.evaluate('history.back()')
    await page.getByRole('dialog', { name: 'Leave this page?' }).waitFor()
    await page.getByText('A secret is shown only once. Have you kept it?').waitFor()
    await press('Stay')
    expect(await page.getByTestId('secret').textContent()).toBe(secret)
    await press('I have kept it')
    await page.goBack()
    await page.waitForURL(`**${keysPath().replace('/keys', '')}`)
  })

  test('copy, also where there is no clipboard, as on plain http, or are told that it did not work', async () => {
    await open(keysPath().replace('/keys', ''))
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    const { client_id } = browser.product.demo.client
    const copy = () => page.getByRole('button', { name: 'Copy client identifier' }).click()
    const told = (words: string) => page.getByRole('status').filter({ hasText: words }).first().waitFor()
    await copy()
    await told('Copied')
    expect(await copied()).toBe(client_id)
    await page.evaluate('navigator.clipboard.writeText("something else")')
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
    await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' })
    await copy()
    await told('Copied')
    expect(await copied()).toBe(client_id)
    await page.evaluate('navigator.clipboard.writeText("something else again")').catch(() => {})
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true })')
    await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' })
    await copy()
    await told('Copied')
    await page.evaluate('delete navigator.clipboard')
    expect(await copied()).toBe(client_id)
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
    await page.evaluate('document.execCommand = () => false')
    await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' })
    await copy()
    await told('Not copied: select the text and copy it by hand')
  })

  test('type times by keyboard, in the zone that they have chosen, and fold the filters of a phone', async () => {
    const { base, demo } = browser.product
    await fetch(`${base}/v1/events/subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.api_key}` },
      body: new URLSearchParams({ url: `http://127.0.0.1:9/${width}`, event_types: 'chat.message.sent' }),
    })
    await open('/console/developer/deliveries')
    if (width === NARROW) {
      expect(await page.getByLabel('From').isVisible()).toBe(false)
      await press('Filters')
    }
    const from = page.getByLabel('From')
    await from.click()
    await page.keyboard.type('2026-03-03 14:05')
    await page.keyboard.press('Enter')
    await page.waitForURL(/from=/)
    expect(new URL(page.url()).searchParams.get('from')).toBe('2026-03-03T13:05:00.000Z')
    expect(await from.inputValue()).toBe('2026-03-03 14:05')
    if (width === NARROW) await page.getByRole('button', { name: 'Filters (1 set)' }).waitFor()
    await from.fill('3.3.2026')
    await page.keyboard.press('Tab')
    await page.getByText('Write it as 2026-03-03 14:05.').waitFor()
  })

  test('see exact times with their zone by touch and keyboard, and all of them in UTC', async () => {
    await open('/console/account/sessions')
    const time = page.locator('.instant').first()
    await (width === NARROW ? time.tap() : time.press('Enter'))
    expect(await time.textContent()).toMatch(/^\w{3} \d+, \d{4}, \d\d:\d\d:\d\d\.\d{3} GMT\+[12]$/)
    await unfoldNavigation()
    await page.getByText('UTC', { exact: true }).click()
    expect(await time.textContent()).toMatch(/\.\d{3} UTC$/)
    await page.reload()
    await page.locator('.instant').first().waitFor()
    expect(await page.locator('.instant').first().textContent()).toMatch(/:\d\d UTC$/)
    await unfoldNavigation()
    await page.getByText('Ago', { exact: true }).click()
  })

  test('read names of any script as they are, and one language', async () => {
    const name = `بوت ${width}`
    await open('/console/developer/applications/new')
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByLabel('channel:read').check()
    await press('Create application')
    await press('I have kept it')
    const heading = page.locator('h1 bdi')
    await heading.filter({ hasText: name }).waitFor()
    await open('/console/developer/applications')
    await page.locator('li bdi').filter({ hasText: name }).waitFor()
    expect(await page.locator('input[type="datetime-local"], input[type="date"]').count()).toBe(0)
  })

  test.each([
    '/console/developer/applications/new',
    '/console/developer/webhooks/new',
    '/console/account',
    '/console/account/sign-in',
    '/console/account/security',
    '/console/developer/doctor',
    '/console/developer/deliveries',
  ])('read sentences beside the fields of %s', async (path) => {
    await open(path)
    const texts = await page
      .locator('.mantine-InputWrapper-description, .mantine-Checkbox-description')
      .allTextContents()
    expect(texts.filter((text) => !/[.!?…]$/.test(text.trim()))).toEqual([])
  })

  test('and nothing on these pages complains', () => {
    expect(faults).toEqual([])
  })
})
