import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../support/process.ts'
import { axe, faultsOf, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'

const HOUR_S = 3_600

describe.skipIf(!hasBrowser).each([1280, 390])('the playground at %d px', (width) => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let page: Page
  let faults: string[]
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    ;({ page, faults } = await browser.visit({ viewport: { width, height: 844 } }))
    await page.goto(`/login?next=${encodeURIComponent('/console/developer/playground?operation=getChannel')}`)
    await logIn(page, browser.product.demo.users.streamer)
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())
  const answer = () => page.getByRole('region', { name: 'Answer' })
  const send = () => page.getByRole('button', { name: 'Send', exact: true }).click()
  let token = ''

  test('sends with a token that lives for an hour, which is made once and kept in the page', async () => {
    await page.getByLabel('slug').fill('streamer')
    const [issued, sent] = await Promise.all([
      page.waitForResponse(/applications\.issueToken/),
      page.waitForRequest(/\/v1\/channels\/streamer/),
      send(),
    ])
    const made = JSON.stringify(await issued.json())
    expect(Number(/"expires_in":(\d+)/.exec(made)?.[1])).toBe(HOUR_S)
    const credential = sent.headers().authorization ?? ''
    token = credential.replace('Bearer ', '')
    expect(token).toMatch(/^ls\w+_/)
    expect(sent.headers().cookie).toBeUndefined()
    await answer().getByText('200', { exact: true }).waitFor()
    await answer().getByText('"username": "streamer"').waitFor()
    const [again] = await Promise.all([page.waitForRequest(/\/v1\/channels\/streamer/), send()])
    expect(again.headers().authorization).toBe(credential)
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(stored).not.toContain(token)
    expect(await page.content()).not.toContain(token)
  })

  test('shows an answer with its headers, and its line in the log of requests, which leads to its explanation', async () => {
    await page.getByLabel('slug').fill('nobody')
    const [response] = await Promise.all([page.waitForResponse(/\/v1\/channels\/nobody/), send()])
    await answer().getByText('404', { exact: true }).waitFor()
    await answer()
      .getByText(/^\d+ headers$/)
      .click()
    const requestId = response.headers()['x-request-id'] ?? ''
    await answer().getByText('x-request-id', { exact: true }).waitFor()
    await answer().getByText(requestId, { exact: true }).waitFor()
    await answer().getByText('In the request log:').waitFor({ timeout: 30_000 })
    await answer().getByText('404 channel_not_found').waitFor()
    await pictureOf(page, `playground-answer-${width}`)
    await page.evaluate(axe)
    expect(await faultsOf(page, [width])).toEqual([])
    await answer().getByRole('link', { name: 'Explain this answer' }).click()
    await page.waitForURL(`**/developer/requests/${requestId}`)
    await page.getByText('What to do:').waitFor()
  })

  test('has the request as code in three languages, with no token in it', async () => {
    await page.goto('/console/developer/playground?operation=getChannel')
    await page.getByLabel('slug').fill('streamer')
    const codeIn = async (language: string) => {
      await page.getByText(language, { exact: true }).click()
      return (
        (await page
          .getByRole('figure', { name: `The request as ${language}` })
          .locator('pre')
          .textContent()) ?? ''
      )
    }
    const curl = await codeIn('curl')
    const codes = [curl, await codeIn('TypeScript'), await codeIn('Python')]
    for (const code of codes) {
      expect(code).toContain(`${browser.product.base}/v1/channels/streamer`)
      expect(code).toContain('ACCESS_TOKEN')
      expect(code).not.toContain(token)
    }
    expect(codes[1]).toContain('await fetch(')
    expect(codes[2]).toContain('requests.request(')
    const ran = await run('/bin/sh', ['-c', `${curl} --silent`], { ACCESS_TOKEN: token })
    expect(JSON.parse(ran.stdout)).toMatchObject({ data: { username: 'streamer' } })
  })

  test('stands for the application alone where that is chosen, and says what it may not do', async () => {
    await page.goto('/console/developer/playground?operation=sendChatMessage&for=application')
    await page.getByRole('textbox', { name: 'Body' }).waitFor()
    await send()
    await answer().getByText('403', { exact: true }).waitFor()
    await answer().getByText('user_token_required').first().waitFor()
    expect(faults).toEqual([])
  })
})
