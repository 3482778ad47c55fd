import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ingestConnections } from '../../src/db/schema/index.ts'
import { freePort } from '../support/free-port.ts'
import { axe, faultsOf, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, type Visitor } from './support/browser.ts'
import { openDatedBrowser } from './support/dated-product.ts'

const SERVER = 'rtmp://live.example.com/live'
/** Times of an encoder are shown at most so much later. */
const SOON = { timeout: 15_000 }

describe.skipIf(!hasBrowser)('the encoder of a channel', () => {
  let browser: Awaited<ReturnType<typeof openDatedBrowser>>
  let door = ''
  beforeAll(async () => {
    if (!hasBrowser) return
    const port = String(await freePort())
    door = `http://127.0.0.1:${port}/internal/ingest`
    browser = await openDatedBrowser({ INGEST_PORT: port, INGEST_SERVER_URL: SERVER })
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  /** As nginx-rtmp asks about an encoder; the status. */
  const ask = async (call: 'publish' | 'publish_done', key: string, clientid: string) => {
    const body = new URLSearchParams({ app: 'live', addr: '192.0.2.1', type: 'live', call, name: key, clientid })
    return (await fetch(door, { method: 'POST', redirect: 'manual', body })).status
  }

  describe.each([
    { width: 1280, who: 'viewer' },
    { width: 390, who: 'outsider' },
  ] as const)('at $width px', ({ width, who }) => {
    let visitor: Visitor
    let page: Page
    const keys: string[] = []
    beforeAll(async () => {
      if (!hasBrowser) return
      const permissions = ['clipboard-read', 'clipboard-write']
      visitor = await browser.visit({ viewport: { width, height: 844 }, permissions })
      page = visitor.page
      await page.goto('/login?next=/console/studio/encoder')
      await logIn(page, browser.product.demo.users[who])
      await page.getByRole('heading', { name: 'Encoder', level: 1 }).waitFor()
    })
    const health = () => page.getByRole('region', { name: 'Encoder' })
    /** The key that is shown, which then is gone. */
    const takeKey = async () => {
      const key = (await page.getByTestId('secret').textContent()) ?? ''
      await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
      await page.getByRole('button', { name: 'I have kept it' }).click()
      await page.getByTestId('secret').waitFor({ state: 'detached' })
      expect(await page.content()).not.toContain(key)
      keys.push(key)
    }

    test('is told what OBS wants to know, and gets a key that is shown once', async () => {
      const settings = page.getByRole('region', { name: 'Settings of OBS' })
      for (const words of [SERVER, 'Custom…', 'Keyframe interval: 2 s', 'Rate control: CBR'])
        await settings.getByText(words, { exact: true }).waitFor()
      await settings.getByRole('button', { name: 'Copy server address' }).click()
      await settings.getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(SERVER)
      await page.getByRole('button', { name: 'Make stream key' }).click()
      await takeKey()
      expect(keys[0]).toMatch(/^lssk_/)
      await page.getByText(`lssk_…${keys[0]?.slice(-4)}`).waitFor()
      await page.reload()
      await page.getByText(`lssk_…${keys[0]?.slice(-4)}`).waitFor()
      await pictureOf(page, `encoder-${width}`)
      await page.evaluate(axe)
      expect(await faultsOf(page, [width])).toEqual([])
    })

    test('makes the channel live, and its health is said: it sends, is not heard of, is gone', async () => {
      await page.goto('/console/studio')
      await page.getByRole('heading', { name: 'You are not live' }).waitFor()
      expect(await health().count()).toBe(0)
      expect(await ask('publish', keys[0] ?? '', `c${width}`)).toBe(302)
      await page.getByText('You are live', { exact: true }).waitFor(SOON)
      await health().getByText('Sending').waitFor(SOON)
      await health().getByText('Connected').waitFor()
      await browser.db.update(ingestConnections).set({ seenAt: new Date(Date.now() - 20_000) })
      await health().getByText('Not heard of').waitFor(SOON)
      await health().getByText('Your stream ends').waitFor()
      await pictureOf(page, `live-stream-${width}`)
      expect(await ask('publish_done', keys[0] ?? '', `c${width}`)).toBe(204)
      await health().getByText('Gone', { exact: true }).waitFor(SOON)
      await health()
        .getByText(/in \d+ seconds.*, unless it is back/)
        .waitFor()
    })

    test('is shut out with its old key once that is rolled, and comes back with the new one', async () => {
      await page.goto('/console/studio/encoder')
      await page.getByRole('button', { name: 'Roll' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Roll key' }).click()
      await page.getByTestId('secret').waitFor()
      await takeKey()
      expect(keys[1]).not.toBe(keys[0])
      expect(await ask('publish', keys[0] ?? '', `d${width}`)).toBe(401)
      expect(await ask('publish', keys[1] ?? '', `d${width}`)).toBe(302)
      await page.getByText(/rolled/).waitFor()
      await page.getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
      await page.getByText('Your stream key does not work any more.').waitFor()
      expect(await ask('publish', keys[1] ?? '', `e${width}`)).toBe(401)
      expect(visitor.faults).toEqual([])
    })
  })
})
