import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasBrowser, openBrowser } from './support/browser.ts'

const FOLDER = 'dist/console'
const FIRST_LOAD_MAX_KB = 300
const FIRST_SIGHT_MAX_MS = 1_000
/** 1.6 Mbit/s and 150 ms there and back: a slow phone. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 }

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

  test('shows something within a second, also to a slow phone', async () => {
    await using browser = await openBrowser()
    const { page } = await browser.visit()
    const session = await page.context().newCDPSession(page)
    await session.send('Network.emulateNetworkConditions', SLOW)
    await page.goto('/console/', { waitUntil: 'commit' })
    await page.getByRole('heading', { name: 'Build on live streams' }).waitFor()
    const paint = `performance.getEntriesByName('first-contentful-paint')[0].startTime`
    const ms = Math.round(await page.evaluate<number>(paint))
    tell(`first sight on a slow connection: ${ms} ms`)
    expect(ms).toBeLessThan(FIRST_SIGHT_MAX_MS)
  })
})
