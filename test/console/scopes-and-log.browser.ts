import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applicationScopes } from '../../src/shared/scope-descriptions.ts'
import { axe, faultsOf, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'

describe.skipIf(!hasBrowser)('who registers an application and a key', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  beforeAll(async () => {
    if (hasBrowser) browser = await openBrowser()
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  describe.each([
    { width: 1280, who: 'viewer' },
    { width: 390, who: 'outsider' },
  ] as const)('at $width px', ({ width, who }) => {
    let page: Page
    let faults: string[]
    let address = ''
    beforeAll(async () => {
      if (!hasBrowser) return
      ;({ page, faults } = await browser.visit({ viewport: { width, height: 844 } }))
      await page.goto('/login?next=/console/developer/applications/new')
      await logIn(page, browser.product.demo.users[who])
      await page.getByRole('heading', { name: 'Create an application' }).waitFor()
    })
    const scopes = () => page.getByRole('checkbox').and(page.locator('[value*=":"]'))
    const offered = () => scopes().evaluateAll<string[], { value: string }>((all) => all.map(({ value }) => value))
    const row = (text: string) => page.getByRole('listitem').filter({ hasText: text })

    test('chooses the scopes, of which none is ticked before, and whose words are not about the reader', async () => {
      expect((await offered()).length).toBeGreaterThan(8)
      expect(await scopes().and(page.locator(':checked')).count()).toBe(0)
      const words = await page.getByRole('group', { name: 'Scopes' }).allTextContents()
      expect(words.filter((text) => /\byou/i.test(text))).toEqual([])
      await page.getByRole('textbox', { name: 'Name' }).fill(`Log at ${width}`)
      for (const scope of ['chat:write', 'channel:read', 'user:read', 'webhook:write'])
        await page.getByLabel(scope).check()
      await page.getByRole('button', { name: 'Create application' }).click()
      await page.getByRole('button', { name: 'I have kept it' }).click()
      await page.getByRole('heading', { name: `Log at ${width}` }).waitFor()
      address = new URL(page.url()).pathname
    })

    test('is offered for a key what one can use of these, none ticked', async () => {
      await page.getByRole('tab', { name: 'API keys' }).click()
      await page.getByRole('button', { name: 'Create key' }).click()
      const dialog = page.getByRole('dialog', { name: 'Create an API key' })
      await dialog.getByLabel('channel:read').waitFor()
      expect(await offered()).toEqual(['channel:read', 'webhook:write'])
      expect((await offered()).every((scope) => applicationScopes.has(scope as 'channel:read'))).toBe(true)
      expect(await scopes().and(page.locator(':checked')).count()).toBe(0)
      await dialog.getByRole('textbox', { name: 'Name' }).fill(`Key at ${width}`)
      await dialog.getByLabel('channel:read').check()
      await dialog.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('button', { name: 'I have kept it' }).click()
    })

    test('reads in the security log what was done to what, by name, with links that lead there', async () => {
      await page.getByRole('tab', { name: 'Security log' }).click()
      await row('API key created').getByText('by you').waitFor()
      await pictureOf(page, `security-log-${width}`)
      await page.evaluate(axe)
      expect(await faultsOf(page, [width])).toEqual([])
      await row('API key created')
        .getByRole('link', { name: `Key at ${width}` })
        .click()
      await page.waitForURL(`**${address}/keys`)
      await page.goto('/console/account/log')
      await row('Logged in').first().getByRole('link').click()
      await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor()
      expect(faults).toEqual([])
    })
  })
})
