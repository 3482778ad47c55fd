import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'

/** What the studio shows of a chat at first. */
const PAGE = 50

describe.skipIf(!hasBrowser).each([1280, 390])('the studio at %d px', (width) => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let page: Page
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    ;({ page } = await browser.visit({ viewport: { width, height: 844 } }))
    await page.goto('/login?next=/console/studio')
    await logIn(page, browser.product.demo.users.streamer)
    await page.getByRole('heading', { name: 'Live stream' }).waitFor()
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  /** What a bot of the streamer's does. */
  const call = (path: string, body: object) =>
    fetch(browser.product.base + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${browser.product.demo.users.streamer.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
  const stream = async () => {
    const { base, demo } = browser.product
    const response = await fetch(`${base}/v1/livestreams/?broadcaster_user_id=${demo.users.streamer.id}`, {
      headers: { authorization: `Bearer ${demo.api_key}` },
    })
    const { data } = (await response.json()) as { data: { title: string; category: string }[] }
    return data[0]
  }

  /** An owner may say 100 messages in half a minute, which both widths share: only what is missing is said. */
  const sayUntilThereAreTwoPages = async () => {
    const { base, demo } = browser.product
    const room = `${base}/v1/chat/messages?room_name=streamer&limit=100`
    const response = await fetch(room, { headers: { authorization: `Bearer ${demo.api_key}` } })
    const { data } = (await response.json()) as { data: unknown[] }
    for (let n = data.length; n < PAGE + 10; n++)
      expect((await call('/v1/chat/messages', { room_name: 'streamer', content: `Line ${width}.${n}` })).status).toBe(
        201,
      )
    await call('/v1/chat/messages', { room_name: 'streamer', content: `Last of the pages at ${width}` })
  }

  test('saves what was changed, and leaves alone what a bot has changed meanwhile', async () => {
    const title = `By a bot at ${width}`
    await page.getByLabel('Category').selectOption('')
    expect((await call('/trpc/livestreams.update', { title })).status).toBe(200)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your stream is changed.').waitFor()
    expect(await stream()).toMatchObject({ title, category: null })
  })

  test('shows what a bot changes in the fields that nobody has touched', async () => {
    await page.getByLabel('Title').fill('Half typed')
    expect((await call('/trpc/livestreams.update', { title: 'By a bot', category: 'software' })).status).toBe(200)
    await page.getByRole('heading', { name: 'By a bot', exact: true }).waitFor()
    expect(await page.getByLabel('Category').inputValue()).toBe('software')
    expect(await page.getByLabel('Title').inputValue()).toBe('Half typed')
    await page.getByLabel('Title').fill('By a bot')
  })

  test('keeps the place of who reads older messages', async () => {
    await sayUntilThereAreTwoPages()
    await page.goto('/console/studio/chat')
    await page.getByText(`Last of the pages at ${width}`, { exact: true }).waitFor()
    await page.evaluate("document.querySelector('.chat .mantine-ScrollArea-viewport').scrollTop = 0")
    const messages = page.locator('.messages > li')
    const text = (await messages.first().locator('p').last().textContent()) ?? ''
    const place = async () => Math.round((await page.getByText(text, { exact: true }).boundingBox())?.y ?? 0)
    const before = await place()
    await page.getByRole('button', { name: 'Older messages' }).click()
    await messages.nth(PAGE).waitFor()
    expect(Math.abs((await place()) - before)).toBeLessThan(60) // the button may have gone
    await call('/v1/chat/messages', { room_name: 'streamer', content: `New at ${width}` })
    await page.getByText(`New at ${width}`).waitFor()
    expect(Math.abs((await place()) - before)).toBeLessThan(60)
  })

  test('takes a deletion and a ban back at one press each', async () => {
    const { base, demo } = browser.product
    const say = (content: string) =>
      fetch(`${base}/v1/chat/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${demo.users.viewer.access_token}` },
        body: new URLSearchParams({ room_name: 'streamer', content }),
      })
    const content = `Not that bad at ${width}`
    await say(content)
    const message = page.getByRole('listitem').filter({ hasText: content })
    const undo = page.getByRole('button', { name: 'Undo' })
    await message.hover()
    await message.getByRole('button', { name: 'Delete the message of viewer' }).click()
    await page.getByText('Message deleted.').waitFor()
    await page.locator('button:focus', { hasText: 'Undo' }).waitFor()
    await page.keyboard.press('Enter')
    await message.waitFor()
    await message.hover()
    await message.getByRole('button', { name: 'Ban viewer' }).click()
    await page.getByText('viewer is banned, and the message deleted.').waitFor()
    await expect.poll(async () => (await say('While banned')).status).toBe(403)
    await undo.click()
    await page.getByText('viewer may write again.').waitFor()
    await message.waitFor()
    await expect.poll(async () => (await say(`Thanks at ${width}`)).status).toBe(201)
  })

  test('deletes what is about to be deleted when the window closes', async () => {
    const content = `Last words at ${width}`
    await call('/v1/chat/messages', { room_name: 'streamer', content })
    const message = page.getByRole('listitem').filter({ hasText: content })
    await message.hover()
    await message.getByRole('button', { name: 'Delete the message' }).click()
    await page.goto('/docs/guides/')
    await page.goto('/console/studio/chat')
    await page.getByText(`New at ${width}`).waitFor()
    expect(await message.count()).toBe(0)
  })
})
