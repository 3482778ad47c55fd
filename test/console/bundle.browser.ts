import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasBrowser, openBrowser } from './support/browser.ts'

const FOLDER = 'dist/console'
const FIRST_LOAD_MAX_KB = 300
const FIRST_SIGHT_MAX_MS = 1_000
/** Bytes a second, and the milliseconds there and back. */
const connections = [
  { name: 'slow 4G', offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 },
  { name: 'slow 3G', offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 },
]

const tell = (line: string) => process.stdout.write(`${line}\n`)

describe.skipIf(!hasBrowser)('what the browser is given', () => {
  test('has no code of the server', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
    expect(files.length).toBeGreaterThan(10)
    expect(files.filter((name) => name.includes('jsx-dev'))).toEqual([]) // React as it is for development
    const marks = ['drizzle', 'pg_advisory', 'webhook_deliveries', 'argon2', 'initTRPC', 'node:crypto";']
    for (const file of files) {
      const code = readFileSync(join(FOLDER, file), 'utf8')
      expect([file, marks.filter((mark) => code.includes(mark))]).toEqual([file, []])
    }
  })

  test('is less than 300 kB of compressed scripts at first, and nothing from elsewhere', async () => {
    await using browser = await openBrowser()
    const { page } = await browser.visit()
    const hosts = new Set<string>()
    const sizes: number[] = []
    page.on('response', async (response) => {
      const { host, pathname } = new URL(response.url())
      hosts.add(host)
      if (pathname.endsWith('.js')) sizes.push(Number(response.headers()['content-length']))
    })
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Build on live streams' }).waitFor()
    const kilobytes = Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1000)
    tell(`first load: ${kilobytes} kB of compressed scripts in ${sizes.length} files`)
    expect(kilobytes).toBeLessThan(FIRST_LOAD_MAX_KB)
    expect([...hosts]).toEqual([new URL(browser.product.base).host])
  })

  /** The quickest of three visits, each with a browser that has seen nothing: what else runs here only makes it slower. */
  test.each(connections)('shows something within a second on $name', async ({ name, ...conditions }) => {
    await using browser = await openBrowser()
    const firstSights: number[] = []
    const wholes: number[] = []
    for (let i = 0; i < 3; i++) {
      const { page } = await browser.visit()
      const session = await page.context().newCDPSession(page)
      await session.send('Network.emulateNetworkConditions', conditions)
      await page.goto('/console/', { waitUntil: 'commit' })
      await page.getByRole('heading', { name: 'Build on live streams' }).waitFor({ timeout: 30_000 })
      wholes.push(Math.round(await page.evaluate<number>('performance.now()')))
      const paint = `performance.getEntriesByName('first-contentful-paint')[0].startTime`
      firstSights.push(Math.round(await page.evaluate<number>(paint)))
      await page.context().close()
    }
    const [ms, wholeMs] = [Math.min(...firstSights), Math.min(...wholes)]
    tell(`${name}: something to see after ${ms} ms, the page after ${wholeMs} ms`)
    expect(ms).toBeLessThan(FIRST_SIGHT_MAX_MS)
  })
})
