import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axe, faultsOf, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, openBrowser, type Visitor } from './support/browser.ts'

describe.skipIf(!hasBrowser)('whatever happens to the connection', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  beforeAll(async () => {
    if (hasBrowser) browser = await openBrowser()
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  /** Signed in, and on a page. */
  async function enter(path: string, width = 1280): Promise<Visitor> {
    const visitor = await browser.visit({ viewport: { width, height: 844 } })
    await visitor.page.goto(`/login?next=${encodeURIComponent(path)}`)
    await logIn(visitor.page, browser.product.demo.users.streamer)
    await visitor.page.locator('#main h1').waitFor()
    return visitor
  }
  const keysPage = () => `/console/developer/applications/${browser.product.demo.client.client_id}/keys`
  /** The form of a key, filled in. */
  async function fillKey(page: Page, name: string) {
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create an API key' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
    await dialog.getByLabel('channel:read').check()
    return { dialog, send: () => dialog.getByRole('button', { name: 'Create key' }).click() }
  }
  const keysNamed = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

  /** What is said now hinders nobody, in light and dark. */
  const hindersNobody = async (page: Page, width: number, what: string) => {
    await page.evaluate(axe)
    expect(await faultsOf(page, [width])).toEqual([])
    await pictureOf(page, `connection-${what}-${width}`)
  }

  test.each([1280, 390])('offline at %d px: a button says so at once, and nothing is made later', async (width) => {
    const { page } = await enter(keysPage(), width)
    const { dialog, send } = await fillKey(page, `Offline ${width}`)
    const mutations: string[] = []
    page.on('request', (request) => request.method() === 'POST' && mutations.push(request.url()))
    await page.context().setOffline(true)
    await send()
    await dialog.getByText('You are offline: nothing was sent').waitFor({ timeout: 3_000 })
    await page.getByText('You are offline. Reconnecting…').waitFor()
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(`Offline ${width}`)
    await hindersNobody(page, width, 'offline')
    const tried = mutations.length
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const renewed = page.waitForResponse(/applications\.keys\.list/)
    await page.context().setOffline(false)
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
    await renewed
    expect(mutations.length).toBe(tried)
    expect(await keysNamed(page, `Offline ${width}`).count()).toBe(0)
  })

  test.each([1280, 390])('slow at %d px: it is said, the form stays, and what is sent is made once', async (width) => {
    const { page } = await enter(keysPage(), width)
    const { dialog, send } = await fillKey(page, `Slow ${width}`)
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await page.route('**/trpc/applications.keys.create*', async (route) => {
      await held
      await route.continue()
    })
    await send()
    await page.getByText('The service is slow to answer. Still waiting…').waitFor()
    await hindersNobody(page, width, 'slow')
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(`Slow ${width}`)
    goOn()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByText('Still waiting…').waitFor({ state: 'detached' })
    expect(await keysNamed(page, `Slow ${width}`).count()).toBe(1)
  })

  test.each([1280, 390])('an ended session at %d px: one logs in again in place, and goes on typing', async (width) => {
    const { page } = await enter(keysPage(), width)
    const { dialog, send } = await fillKey(page, `Session ${width}`)
    const cookies = await page.context().cookies()
    await page.context().clearCookies({ name: 'sid' })
    await send()
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    await hindersNobody(page, width, 'ended')
    expect(await page.getByRole('alert').allTextContents().then(String)).not.toMatch(/Bearer|Authorization/)
    expect(cookies.some(({ name }) => name === 'sid')).toBe(true)
    const [login] = await Promise.all([
      page.waitForEvent('popup'),
      ended.getByRole('link', { name: 'Log in again' }).click(),
    ])
    await Promise.all([login.waitForEvent('close'), logIn(login, browser.product.demo.users.streamer)])
    await ended.waitFor({ state: 'detached' })
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(`Session ${width}`)
    await send()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await keysNamed(page, `Session ${width}`).waitFor()
  })

  test.each([1280, 390])('an ended session at %d px is never gone on with by somebody else', async (width) => {
    const { page } = await enter('/console/account', width)
    await page.getByLabel('Bio').fill('Of the streamer')
    await page.context().clearCookies({ name: 'sid' })
    await page.getByRole('button', { name: 'Save' }).click()
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    const [login] = await Promise.all([
      page.waitForEvent('popup'),
      ended.getByRole('link', { name: 'Log in again' }).click(),
    ])
    await Promise.all([login.waitForEvent('close'), logIn(login, browser.product.demo.users.viewer)])
    await page.getByRole('dialog', { name: 'Somebody else is logged in' }).waitFor()
    await hindersNobody(page, width, 'somebody-else')
    expect(await page.getByLabel('Bio').inputValue()).toBe('Of the streamer')
  })

  test.each([1280, 390])(
    'a change without an answer at %d px is said to be uncertain, and not made later',
    async (width) => {
      const response = await fetch(`${browser.product.base}/v1/events/subscriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${browser.product.demo.api_key}` },
        body: new URLSearchParams({ url: 'http://127.0.0.1:9/hook', event_types: 'chat.message.sent' }),
      })
      const { data } = (await response.json()) as { data: { id: string } }
      const { page } = await enter(`/console/developer/webhooks/${data.id}`, width)
      await page.route('**/trpc/**', (route) => route.abort('connectionreset'))
      await page.getByRole('button', { name: 'Send test' }).click()
      await page.getByRole('alert').filter({ hasText: 'The test was not sent' }).waitFor({ timeout: 3_000 })
      await page.unroute('**/trpc/**')
      await page.goto(keysPage())
      const { dialog, send } = await fillKey(page, `Uncertain ${width}`)
      await page.route('**/trpc/**', (route) => route.abort('connectionreset'))
      await send()
      await dialog.getByText('Whether this was done is not known').waitFor({ timeout: 3_000 })
      await page.getByText('The service does not answer. Reconnecting…').waitFor()
      await hindersNobody(page, width, 'uncertain')
      const later: string[] = []
      page.on('request', (request) => request.method() === 'POST' && later.push(request.url()))
      await page.unroute('**/trpc/**')
      await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
      expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(`Uncertain ${width}`)
      expect(later).toEqual([])
      expect(await keysNamed(page, `Uncertain ${width}`).count()).toBe(0)
    },
  )

  test.each([1280, 390])(
    'gone at %d px: what is read stays, it is said, and read again once the service is back',
    async (width) => {
      const { page } = await enter('/console/developer/deliveries', width)
      await page.route('**/trpc/**', (route) => route.fulfill({ status: 503, body: '' }))
      if (width < 992) await page.getByRole('button', { name: 'Navigation' }).click()
      await page.getByRole('link', { name: 'Sessions', exact: true }).click()
      await page.getByText('The service does not answer. Reconnecting…').waitFor()
      await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor()
      await page.unroute('**/trpc/**')
      await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
      await page.getByText('This one').waitFor()
    },
  )

  test.each([1280, 390])('at %d px a page whose script does not come offers another try', async (width) => {
    const { page } = await enter('/console/studio', width)
    await page.route('**/assets/bans*', (route) => route.abort('connectionrefused'))
    if (width < 992) await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('link', { name: 'Bans', exact: true }).click()
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor()
    await hindersNobody(page, width, 'dead-page')
    await page.unroute('**/assets/bans*')
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByRole('heading', { name: 'Bans', exact: true }).waitFor()
  })

  test.each([1280, 390])(
    'at %d px what is typed stays when the script of the next page does not come',
    async (width) => {
      const { page } = await enter('/console/account', width)
      await page.getByLabel('Bio').fill(`Typed at ${width} before a dead script`)
      await page.route('**/assets/bans*', (route) => route.abort('connectionrefused'))
      if (width < 992) await page.getByRole('button', { name: 'Navigation' }).click()
      await page.getByRole('link', { name: 'Bans', exact: true }).click()
      await page.getByRole('dialog', { name: 'Leave this page?' }).waitFor()
      await page.getByRole('button', { name: 'Stay', exact: true }).click()
      expect(await page.getByLabel('Bio').inputValue()).toBe(`Typed at ${width} before a dead script`)
      await page.unroute('**/assets/bans*')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Your profile is saved.').waitFor()
    },
  )

  test.each([1280, 390])(
    'at %d px a console whose first script does not come says so, and offers another try',
    async (width) => {
      const { page } = await browser.visit({ viewport: { width, height: 844 } })
      await page.route('**/assets/*.js', (route) => route.abort('connectionrefused'))
      await page.goto('/console/')
      await page.getByText('The console could not be loaded.').waitFor()
      await hindersNobody(page, width, 'dead-console')
      await page.unroute('**/assets/*.js')
      await page.getByRole('button', { name: 'Load again' }).click()
      await page.getByRole('heading', { name: 'Build on live streams' }).waitFor()
    },
  )

  test('a visit of the landing page asks for nothing that fails', async () => {
    const { page } = await browser.visit()
    const failed: string[] = []
    page.on('response', (response) => response.status() >= 400 && failed.push(response.url()))
    page.on('requestfailed', (request) => failed.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && failed.push(message.text()))
    await page.goto('/console/', { waitUntil: 'networkidle' })
    await page.getByRole('heading', { name: 'Build on live streams' }).waitFor()
    expect(failed).toEqual([])
  })
})
