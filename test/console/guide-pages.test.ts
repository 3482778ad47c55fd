import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { generating, reading, rowsOf } from '../tools/tool-list.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const page = async (path: string) => (await app.request(`GET /docs/guides/${path}`)).text

test('a guide has an outline of its headings, which are on the page, and leads to the next one', async () => {
  const text = await page('webhooks')
  const outline = /<nav class="outline".*?<\/nav>/s.exec(text)?.[0] ?? ''
  const targets = [...outline.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
  expect(targets).toContain('verifying')
  expect(targets.filter((id) => !text.includes(`id="${id}"`))).toEqual([])
  expect(text).toMatch(/<a rel="next" href="\/docs\/guides\/feed">/)
  expect(text).toMatch(/<a rel="prev" href="\/docs\/guides\/dpop">/)
  expect(await page('quick-start')).not.toContain('rel="prev"')
})

test('a search finds the part of a guide that has all words, those in headings first, and shows what was asked as text', async () => {
  const found = await page('search?q=Verifying+signature')
  expect(found).toContain('href="/docs/guides/webhooks#verifying"')
  expect(await page('search?q=no+such+word+zzz')).toContain('Nothing has all of these words.')
  const hostile = await page(`search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(hostile).not.toContain('<script>alert')
  expect(await page('search')).toContain('Write one or more words')
  expect(await page('search?q=a&q=b')).toContain('Write one or more words')
  const long = await page(`search?q=${'a'.repeat(1_000)}`)
  expect(long).not.toContain('a'.repeat(101))
})

test('the script of the guides is a file of ours, small, and allowed by their policy', async () => {
  const { headers } = await app.request('GET /docs/guides/webhooks')
  expect(headers.get('content-security-policy')).toContain("script-src 'self';")
  const { text } = await app.request('GET /docs/guides/script.js')
  expect(text.length).toBeLessThan(2_000)
})

test('the guide to clients shows the tools that are tried, with their versions', async () => {
  const guide = readFileSync('docs/guides/clients.md', 'utf8')
  const filled = guide
    .replace(/(?<=^\| Tool \| Version \| Makes \|\n.*\n)(\|.*\n)*/m, rowsOf(generating))
    .replace(/(?<=^\| Tool \| Version \| Does \|\n.*\n)(\|.*\n)*/m, rowsOf(reading))
  expect(filled).not.toContain('unknown')
  // npx vitest run console/guide-pages -u writes the tables anew
  await expect(filled).toMatchFileSnapshot('../../docs/guides/clients.md')
})

test('a guide is found with a slash too many', async () => {
  const { status, headers } = await app.request('GET /docs/guides/webhooks/')
  expect([status, headers.get('location')]).toEqual([308, '../webhooks'])
})
