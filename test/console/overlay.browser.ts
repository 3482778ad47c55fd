import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, type Service, startService } from '../support/process.ts'
import { hasBrowser, launchChromium, logIn, type Visitor } from './support/browser.ts'

/** A second, and as much again on a machine that is busy. */
const SOON = { timeout: 2_000 }

describe.skipIf(!hasBrowser)('an overlay', () => {
  const data = folderWithCluster()
  let browser: Awaited<ReturnType<typeof launchChromium>>
  let service: Service
  let demo: DemoCredentials
  let port: string
  let streamer: Visitor
  let viewers: Visitor
  /** What a streaming program shows. */
  let overlay: Page

  const start = async () => {
    const started = await startService({ DATA_DIR: data.path, LOG_LEVEL: 'error', PORT: port })
    if (!started.isReady) throw new Error(started.output.text.stderr)
    return started
  }
  beforeAll(async () => {
    if (!hasBrowser) return
    port = String(await freePort())
    service = await start()
    demo = JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8'))
    browser = await launchChromium()
    const baseURL = service.base
    streamer = await browser.visit({ baseURL })
    viewers = await browser.visit({ baseURL })
    overlay = viewers.page
    await streamer.page.goto('/login?next=/console/studio/overlay')
    await logIn(streamer.page, demo.users.streamer)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await service?.stop()
    data[Symbol.dispose]()
  })

  const post = async (path: string, who: 'viewer' | 'streamer', body: Record<string, string>) => {
    const headers = { authorization: `Bearer ${demo.users[who].access_token}` }
    const response = await fetch(service.base + path, { method: 'POST', headers, body: new URLSearchParams(body) })
    expect(response.status).toBe(201)
    return ((await response.json()) as { data: { id: string } }).data
  }
  const say = (content: string) => post('/v1/chat/messages', 'viewer', { room_name: 'streamer', content })
  /** Opens the overlay, and waits until it hears. */
  const show = (address: string) => Promise.all([overlay.waitForResponse(/\/v1\/events/), overlay.goto(address)])
  const shown = (text: string) => overlay.getByRole('listitem').filter({ hasText: text })
  const confirm = (name: string) => streamer.page.getByRole('dialog').getByRole('button', { name }).click()
  const addressShown = async () =>
    (await streamer.page.getByRole('figure', { name: 'Address of the chat overlay' }).textContent()) ?? ''
  const row = () => streamer.page.getByRole('listitem').filter({ hasText: 'Main scene' })

  test('is made in the studio, which shows its address once, and what it looks like', async () => {
    const { page } = streamer
    await page.getByRole('button', { name: 'Create overlay key' }).click()
    await page.getByLabel('Name').fill('Main scene')
    for (const type of ['livestream.started', 'livestream.updated', 'livestream.ended', 'chat.message.sent'])
      expect([type, await page.getByLabel(type).isChecked()], 'what our page shows').toEqual([type, true])
    await page.getByRole('button', { name: 'Create key' }).click()
    const preview = page.frameLocator('iframe[title="Preview of the chat overlay"]')
    await preview.getByText('This is what your chat looks like.').waitFor()
    expect(await page.getByRole('figure', { name: 'Address of the events' }).textContent()).toMatch(/events\?key=lsok_/)
    const address = await addressShown()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await row().getByText('Last used').waitFor()
    expect(await page.content()).not.toContain(new URL(address).searchParams.get('key'))
    await show(address)
  })

  test('shows on nothing, and within a second, what is said, whatever that is', async () => {
    await say('Is this thing on?')
    await shown('Is this thing on?').waitFor(SOON)
    await say('<img src=x onerror="document.title = 1"> & <b>bold</b>')
    await shown('<img src=x onerror="document.title = 1"> & <b>bold</b>').waitFor(SOON)
    expect(await overlay.evaluate('document.querySelectorAll("li img, li b").length')).toBe(0)
    const background =
      'getComputedStyle(document.documentElement).backgroundColor + getComputedStyle(document.body).backgroundColor'
    expect(await overlay.evaluate(background)).toBe('rgba(0, 0, 0, 0)'.repeat(2))
  })

  test('shows a message gone that was deleted', async () => {
    const { id } = await say('Never mind')
    await shown('Never mind').waitFor(SOON)
    const headers = { authorization: `Bearer ${demo.users.viewer.access_token}` }
    await fetch(`${service.base}/v1/chat/${id}`, { method: 'DELETE', headers })
    await shown('Never mind').waitFor({ state: 'detached', ...SOON })
  })

  test('looks as the style sheet says that a streaming program puts into it, which loads nothing', async () => {
    const picture = 'https://example.com/x.png'
    const refused = overlay.waitForEvent('requestfailed', (request) => request.url() === picture)
    const style = `.message { color: rgb(1, 2, 3); background: url(${picture}) }`
    // addStyleTag would take the refusal, which is wanted, for a failure of its own
    await overlay.evaluate(
      `document.head.appendChild(document.createElement('style')).textContent = ${JSON.stringify(style)}`,
    )
    expect(await overlay.evaluate('getComputedStyle(document.querySelector(".message")).color')).toBe('rgb(1, 2, 3)')
    expect((await refused).failure()?.errorText).toBe('csp')
  })

  test('comes back after a restart of the service, with what was said meanwhile', async () => {
    await say('Before the restart')
    await shown('Before the restart').waitFor(SOON)
    await service.stop()
    service = await start()
    await say('After the restart')
    await shown('After the restart').waitFor()
    expect(await shown('Before the restart').count()).toBe(1)
  })

  test('of one’s own, as the guide has it, reads from another website', async () => {
    const guide = await (await fetch(`${service.base}/docs/guides/chat.html`)).text()
    const website = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(guide))
    await once(website.listen(0, 'localhost'), 'listening')
    const { page, faults } = await browser.visit()
    const { search } = new URL(overlay.url())
    await Promise.all([
      page.waitForResponse(/\/v1\/events/),
      page.goto(`http://localhost:${(website.address() as AddressInfo).port}/${search}`),
    ])
    await say('For everybody')
    await page.getByText('viewer: For everybody').waitFor(SOON)
    expect(faults).toEqual([])
    await page.context().close()
    website.close()
    website.closeAllConnections()
  })

  test('says whether the channel is live, as that changes', async () => {
    const line = overlay.locator('#live')
    const stream = (what: string) =>
      fetch(`${service.base}/trpc/livestreams.${what}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${demo.users.streamer.access_token}`,
          'content-type': 'application/json',
        },
        body: '{}',
      })
    expect((await stream('end')).status).toBe(200)
    await line.getByText('Offline', { exact: true }).waitFor(SOON)
    expect((await stream('start')).status).toBe(200)
    await line.getByText('Live', { exact: true }).waitFor(SOON)
    await overlay.reload()
    await line.getByText('Live', { exact: true }).waitFor()
  })

  test('goes dark when its key is rolled, and says why; the new address works until the key is revoked', async () => {
    await streamer.page.reload()
    await row().getByRole('button', { name: 'Roll' }).click()
    await confirm('Roll key')
    await overlay.getByRole('status').filter({ hasText: 'rolled or revoked' }).waitFor(SOON)
    expect(await overlay.getByRole('listitem').count()).toBe(0)

    await show(await addressShown())
    await streamer.page.getByRole('button', { name: 'I have copied it' }).click()
    await say('By the new address')
    await shown('By the new address').waitFor(SOON)
    await row().getByRole('button', { name: 'Revoke' }).click()
    await confirm('Revoke key')
    await overlay.getByRole('status').filter({ hasText: 'rolled or revoked' }).waitFor(SOON)
    await overlay.reload()
    await overlay.getByRole('status').filter({ hasText: 'rolled or revoked' }).waitFor()
    await streamer.page.getByText('No overlay yet').waitFor()
  })

  test('says so when its address has no key', async () => {
    await overlay.goto('/overlay/chat')
    await overlay.getByRole('status').filter({ hasText: 'has no key' }).waitFor()
  })

  test('none of these pages complains', () => {
    const refusedByPolicy = viewers.faults.filter((fault) => !fault.includes('https://example.com/x.png'))
    expect([streamer.faults, refusedByPolicy]).toEqual([[], []])
  })
})
