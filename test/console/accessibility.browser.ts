import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { axe, faultsOf, open } from './support/barriers.ts'
import { hasBrowser, logIn, openBrowser, type Visitor } from './support/browser.ts'
import { addressOf, decisionPages, furnish, type Ids, ownPages, publicPages } from './support/pages.ts'

describe.skipIf(!hasBrowser)('in light and dark, narrow and wide, nobody is hindered', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let receivers: { good: Receiver; bad: Receiver }
  let visitor: Visitor
  let ids: Ids
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    receivers = { good: await startReceiver(), bad: await startReceiver(() => ({ status: 500, body: '<h1>No</h1>' })) }
    ids = await furnish(browser.product, { good: receivers.good.url, bad: receivers.bad.url })
    await Promise.all([receivers.good.received(1), receivers.bad.received(1)])
    visitor = await browser.visit()
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await receivers?.good[Symbol.asyncDispose]()
    await receivers?.bad[Symbol.asyncDispose]()
  })

  test.each(publicPages)('on %s', async (path) => {
    await open(visitor.page, path)
    expect(await faultsOf(visitor.page)).toEqual([])
  })

  test('on the reference, also with an operation open', async () => {
    const { page } = visitor
    await page.goto('/docs/')
    await page.getByText('/v1/channels/{slug}', { exact: true }).click()
    await page.getByRole('button', { name: 'Execute' }).waitFor()
    await page.evaluate(axe)
    expect(await faultsOf(page)).toEqual([])
  })

  describe('who is signed in', () => {
    beforeAll(async () => {
      if (!hasBrowser) return
      await visitor.page.goto('/login?next=/console/developer')
      await logIn(visitor.page, browser.product.demo.users.streamer)
      await visitor.page.getByRole('heading', { name: 'Overview' }).waitFor()
    })

    test.each(ownPages)('on %s', async (path) => {
      await open(visitor.page, addressOf(path, ids))
      expect(await faultsOf(visitor.page)).toEqual([])
    })

    test('where they decide: on the consent, on a request that is wrong, on the way out', async () => {
      const { client_id, redirect_uri } = browser.product.demo.other_client
      for (const path of decisionPages(client_id, redirect_uri)) {
        await open(visitor.page, path)
        expect([path, await faultsOf(visitor.page)]).toEqual([path, []])
      }
    })

    test.each(['good', 'bad'] as const)('on the page of a delivery to a %s receiver', async (which) => {
      const { page } = visitor
      await open(page, `/console/developer/deliveries?subscription=${ids[which]}`)
      await page.getByRole('link', { name: 'chat.message.sent' }).click()
      await page.getByText('Attempt 1').waitFor()
      expect(await faultsOf(page)).toEqual([])
    })

    test('in a form in a dialog, when it is wrong, when it is left, and in a menu', async () => {
      const { page } = visitor
      await open(page, `/console/developer/applications/${ids.application}/keys`)
      await page.getByRole('button', { name: 'Create key' }).click()
      const form = page.getByRole('dialog', { name: 'Create an API key' })
      await form.getByRole('button', { name: 'Create key' }).click()
      await form.getByText('Choose at least one.').waitFor()
      expect(await faultsOf(page)).toEqual([])
      await form.getByRole('textbox', { name: 'Name' }).fill('For axe')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Go on typing' }).waitFor()
      expect(await faultsOf(page)).toEqual([])
      await page.getByRole('button', { name: 'Close it' }).click()
      await page.getByRole('button', { name: 'Account of streamer' }).click()
      await page.getByRole('menuitem', { name: 'Log out' }).waitFor()
      expect(await faultsOf(page)).toEqual([])
    })

    test('by a secret that is shown, by messages that something was done or failed, and by a lost connection', async () => {
      const { page } = visitor
      await open(page, `/console/developer/applications/${ids.application}`)
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByTestId('secret').waitFor()
      expect(await faultsOf(page)).toEqual([])
      await page.getByRole('button', { name: 'I have kept it' }).click()

      await open(page, '/console/account')
      await page.getByLabel('Bio').fill('A bio')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Your profile is saved.').waitFor()
      expect(await faultsOf(page)).toEqual([])

      await open(page, '/console/account/sessions')
      await page.route('**/trpc/**', (route) => route.abort('connectionrefused'))
      await page.getByRole('button', { name: 'Log out', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
      await page.getByText('The session was not ended').waitFor()
      await page.getByText('Reconnecting…').waitFor()
      expect(await page.getByRole('button', { name: 'Close this message' }).count()).toBeGreaterThan(0)
      expect(await faultsOf(page)).toEqual([])
      await page.unroute('**/trpc/**')
    })

    test('when their session has ended', async () => {
      const { page } = visitor
      await open(page, '/console/studio/bans')
      const cookies = await page.context().cookies()
      await page.context().clearCookies({ name: 'sid' })
      await page.getByLabel('Username').fill('viewer')
      await page.getByRole('button', { name: 'Ban', exact: true }).click()
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
      expect(await faultsOf(page)).toEqual([])
      await page.context().addCookies(cookies)
    })
  })

  test('and no page complains, or is refused anything by its policy', () => {
    expect(visitor.faults).toEqual([])
  })
})
