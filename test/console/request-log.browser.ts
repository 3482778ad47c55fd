import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'

/** As a phone and as a desk. */
const widths = [390, 1280]

/** By how many pixels something is wider than the window, the header as well. */
const overflowOf = (page: Page) =>
  page.evaluate<number>(
    `Math.max(...[document.documentElement, document.querySelector('header')].map((one) => one.scrollWidth - one.clientWidth))`,
  )

describe.skipIf(!hasBrowser)('a developer whose requests fail', () => {
  test.each(widths)(
    'is told on the overview, sees why in the log, and what to do about it, at %i px',
    async (width) => {
      await using browser = await openBrowser()
      const { base, demo } = browser.product
      const { page, faults } = await browser.visit({ viewport: { width, height: 860 } })
      const ask = (path: string, init: RequestInit = {}) =>
        fetch(base + path, { ...init, headers: { authorization: `Bearer ${demo.api_key}`, ...init.headers } })
      await ask('/v1/channels/nobody')
      await ask('/v1/channels/streamer')
      const refused = await ask('/v1/events/subscriptions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url: 'ftp://x', event_types: ['nothing'], client_secret: 'hunter2' }),
      })
      const requestId = refused.headers.get('x-request-id') ?? ''
      await fetch(`${base}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: demo.client.client_id,
          client_secret: 'x',
        }),
      })

      await page.goto('/login?next=/console/developer')
      await logIn(page, demo.users.streamer)
      const attention = page.getByRole('region', { name: 'Needs attention' })
      await attention
        .getByText(/\d failed/)
        .first()
        .waitFor({ timeout: 30_000 })
      await pictureOf(page, `overview-${width}`)
      await attention
        .getByRole('listitem')
        .filter({ hasText: /failed/ })
        .getByRole('link')
        .first()
        .click()

      const failed = page.getByRole('region', { name: 'What failed' })
      await failed.getByText('401 invalid_client').waitFor()
      await pictureOf(page, `request-log-${width}`)
      await failed.getByRole('row').filter({ hasText: 'channel_not_found' }).getByRole('link').click()
      expect(new URL(page.url()).searchParams.get('code')).toBe('channel_not_found')
      const requests = page.getByRole('region', { name: 'Requests' })
      await requests.getByRole('listitem').filter({ hasText: 'No channel has this slug.' }).first().waitFor()
      await requests.getByRole('listitem').filter({ hasText: 'invalid_client' }).first().waitFor({ state: 'detached' })
      await page.goBack()

      await page.goto(`/console/developer/requests/${requestId}`)
      await page.getByText('What to do:').waitFor()
      const sent = page.getByRole('figure', { name: 'What was sent' })
      await sent.getByText('ftp://x').waitFor()
      expect(await sent.textContent()).not.toContain('hunter2')
      await pictureOf(page, `explanation-${width}`)
      expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
      expect(faults).toEqual([])
    },
  )

  test.each(widths)('finds by Ctrl-K what is theirs, at %i px', async (width) => {
    await using browser = await openBrowser()
    const { demo } = browser.product
    const { page, faults } = await browser.visit({ viewport: { width, height: 860 } })
    await page.goto('/login?next=/console/developer')
    await logIn(page, demo.users.streamer)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search' })
    await field.fill('play')
    await page.getByRole('option', { name: /Playground/ }).waitFor()
    await field.fill(demo.client.client_id)
    await page.getByRole('option', { name: /Application/ }).waitFor()
    await pictureOf(page, `search-${width}`)
    await field.press('Enter')
    await page.waitForURL(`**/developer/applications/${demo.client.client_id}`)
    await page.getByRole('button', { name: 'Search' }).click()
    await field.fill('nothing of this name')
    await page.getByText('Nothing of yours is like this.').waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  test.each(widths)('tries an operation and finds it in the log, at %i px', async (width) => {
    await using browser = await openBrowser()
    const { demo } = browser.product
    const { page, faults } = await browser.visit({ viewport: { width, height: 860 } })
    await page.goto(`/login?next=${encodeURIComponent('/console/developer/playground?operation=sendChatMessage')}`)
    await logIn(page, demo.users.streamer)
    const body = page.getByRole('textbox', { name: 'Body' })
    await body.fill('{"room_name": "streamer"')
    await page.getByText('It is not JSON.').waitFor()
    await body.fill(JSON.stringify({ room_name: 'streamer', content: `From the playground, ${width}` }))
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('201', { exact: true }).waitFor({ timeout: 30_000 })
    await answer.getByText(/^\d+ headers$/).click()
    await answer.getByText('x-request-id', { exact: true }).waitFor()
    await body.fill(JSON.stringify({ room_name: 'streamer', content: 'x'.repeat(501) }))
    await page.getByRole('button', { name: 'Send' }).click()
    await answer.getByText('400', { exact: true }).waitFor()
    await answer.getByText('400 message_too_long').waitFor({ timeout: 30_000 })
    await page.getByText('Python', { exact: true }).click()
    await page.getByRole('figure', { name: 'The request as Python' }).getByText('import requests').waitFor()
    await pictureOf(page, `playground-${width}`)
    expect(await overflowOf(page)).toBe(0)
    expect(faults).toEqual([])
  })
})
