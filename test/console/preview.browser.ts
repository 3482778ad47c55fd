import { execFileSync } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ingestConnections } from '../../src/db/schema/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { axe, faultsOf, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, type Visitor } from './support/browser.ts'
import { callsOf } from './support/calls.ts'
import { openDatedBrowser } from './support/dated-product.ts'

const FFMPEG = '/usr/bin/ffmpeg'
const isMissing = !hasBrowser || !existsSync(FFMPEG)
/** What an encoder does is shown at most so much later, on a machine that may be busy. */
const SOON = { timeout: 30_000 }
const SECONDS = 2
const WIDTH = 640

/** A channel's stream as a media server leaves it: a playlist, whose newest piece shows this test picture. Returns its bitrate in kbit/s. */
function writeStream(folder: string, channel: string, picture: string): number {
  const file = join(folder, `${channel}.ts`)
  const input = ['-f', 'lavfi', '-i', `${picture}=size=${WIDTH}x360:rate=10`, '-t', String(SECONDS)]
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-f', 'mpegts']
  execFileSync(FFMPEG, ['-loglevel', 'error', '-y', ...input, ...coding, file])
  writeFileSync(join(folder, `${channel}.m3u8`), `#EXTM3U\n#EXTINF:${SECONDS},\n${channel}.ts\n`)
  return Math.round((statSync(file).size * 8) / SECONDS / 1_000)
}

describe.skipIf(isMissing)('the studio of a channel whose encoder sends', () => {
  const folder = temporaryFolder()
  let browser: Awaited<ReturnType<typeof openDatedBrowser>>
  let door = ''
  beforeAll(async () => {
    if (isMissing) return
    const port = String(await freePort())
    door = `http://127.0.0.1:${port}/internal/ingest`
    browser = await openDatedBrowser({ INGEST_PORT: port, INGEST_HLS_URL: `${folder.path}/{channel}.m3u8` })
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  describe.each([
    { width: 1280, who: 'viewer' },
    { width: 390, who: 'outsider' },
  ] as const)('at $width px', ({ width, who }) => {
    let visitor: Visitor
    let page: Page
    let key = ''
    let kbps = 0
    beforeAll(async () => {
      if (isMissing) return
      visitor = await browser.visit({ viewport: { width, height: 844 } })
      page = visitor.page
      await page.goto('/login?next=/console/studio')
      await logIn(page, browser.product.demo.users[who])
      await page.getByRole('heading', { name: 'You are not live' }).waitFor()
      key = (await (await callsOf(page, browser.product.base)).streamKeys.roll.mutate({})).key
      kbps = writeStream(folder.path, who, 'testsrc2')
    })
    const health = () => page.getByRole('region', { name: 'Encoder' })
    const preview = () => page.getByRole('img', { name: 'Your stream a moment ago' })
    const words = (rate: number) => new RegExp(`^${rate.toLocaleString('en')} kbit/s, `)
    const ask = async (call: 'publish' | 'publish_done') => {
      const given = { app: 'live', addr: '192.0.2.1', type: 'live', call, name: key, clientid: `p${width}` }
      return (await fetch(door, { method: 'POST', redirect: 'manual', body: new URLSearchParams(given) })).status
    }
    /** The size of the picture as it came; of one that did not, 0. */
    const sizeOf = () =>
      preview().evaluate<number, { complete: boolean; naturalWidth: number }>((one) => one.naturalWidth)

    test('shows what is sent, how well, and at which bitrate', async () => {
      expect(await ask('publish')).toBe(302)
      await page.getByText('You are live', { exact: true }).waitFor(SOON)
      await health().getByText('Sending', { exact: true }).waitFor(SOON)
      await preview().waitFor(SOON)
      await expect.poll(sizeOf, SOON).toBe(WIDTH)
      await health()
        .getByRole('definition')
        .filter({ hasText: words(kbps) })
        .waitFor(SOON)
      const box = await preview().boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
      await pictureOf(page, `preview-${width}`)
      await page.evaluate(axe)
      expect(await faultsOf(page, [width])).toEqual([])
    })

    test('follows it: another picture, and another bitrate', async () => {
      const before = await preview().getAttribute('src')
      const other = writeStream(folder.path, who, 'mandelbrot')
      expect(other).not.toBe(kbps)
      await browser.db.update(ingestConnections).set({ frameDueAt: new Date(0) })
      await health()
        .getByRole('definition')
        .filter({ hasText: words(other) })
        .waitFor(SOON)
      await expect.poll(() => preview().getAttribute('src'), SOON).not.toBe(before)
      await expect.poll(sizeOf, SOON).toBe(WIDTH)
    })

    test('says that it is gone, and until when it is waited for', async () => {
      expect(await ask('publish_done')).toBe(204)
      await health().getByText('Gone', { exact: true }).waitFor(SOON)
      await health()
        .getByText(/in \d+ seconds.*, unless it is back/)
        .waitFor()
      expect(visitor.faults).toEqual([])
    })
  })
})
