import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { type Scope, scopes } from '../../src/domain/core/scopes.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { guides } from '../../src/rest/pages/docs/guide-list.ts'
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

test('the console finds a part of a guide by the words of its heading and its guide, and by no others', async () => {
  const found = async (asked: string) =>
    (await app.request(`GET /docs/guides/search.json?q=${encodeURIComponent(asked)}`)).body
  expect(await found('verifying')).toContainEqual({
    title: 'Webhooks: Verifying',
    about: expect.stringContaining('deliveries'),
    path: '/docs/guides/webhooks#verifying',
  })
  expect((await found('webhooks VERIFY'))[0].path).toBe('/docs/guides/webhooks#verifying')
  expect((await found('quick start'))[0]).toMatchObject({
    title: 'Quick start',
    path: '/docs/guides/quick-start#quick-start',
  })
  expect(await found('createHmac')).toEqual([])
  expect(await found('')).toEqual([])
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

test('the guide to clients names the SDKs, and how they are packed and installed', () => {
  const guide = readFileSync('docs/guides/clients.md', 'utf8')
  const { name, version } = JSON.parse(readFileSync('sdk/typescript/package.json', 'utf8'))
  const tarball = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(scripts['pack:sdk']).toBeDefined()
  for (const text of [guide, readFileSync('sdk/typescript/README.md', 'utf8')]) {
    expect(text).toContain('npm run pack:sdk')
    expect(text).toContain(`npm install ./${tarball}`)
  }
  for (const text of [guide, readFileSync('sdk/python/README.md', 'utf8')]) {
    expect(text).toContain('pip install ./developer-api')
  }
  expect(guide).toContain(`\`${name}\``)
})

test.each(['typescript', 'python'])('the README of the SDK for %s says what a login by device needs', (language) => {
  expect(readFileSync(`sdk/${language}/README.md`, 'utf8')).toMatch(/grant \*\*Device code\*\*/)
})

test('no document counts the languages of its examples, as they become more', () => {
  const shown = [
    'README.md',
    'src/rest/pages/docs/guide-list.ts',
    'src/client/console/developer/quick-start/quick-start.tsx',
  ]
  const files = readdirSync('docs/guides').map((file) => `docs/guides/${file}`)
  for (const file of [...shown, ...files]) {
    expect(readFileSync(file, 'utf8'), file).not.toMatch(/\b(two|three|four|five|six|seven|\d+) languages/)
  }
})

test('a guide is the same with a slash at its end, and what it refers to does not depend on that', async () => {
  for (const name of [...guides.map((guide) => guide.name), 'search']) {
    const [bare, slashed] = await Promise.all(['', '/'].map((end) => app.request(`GET /docs/guides/${name}${end}`)))
    expect([slashed?.status, slashed?.text], name).toEqual([200, bare?.text])
    expect(bare?.text).not.toMatch(/(?:href|src)="(?![/#]|[a-z]+:)/)
  }
})

const scopesIn = (text: string): Scope[] => scopes.filter((scope) => text.includes(`\`${scope}\``))

test('the scopes that the quick start names are all that its steps need', async () => {
  const [, chosen = [], ofKey = []] = readFileSync('docs/guides/quick-start.md', 'utf8').split(/^## /m).map(scopesIn)
  const { id: userId, username } = await app.user('quick')
  const principal = { kind: 'user', userId, username, clientId: null, scopes } as const
  const ctx = { ...app.context, principal }
  const { id } = await createApplication(ctx, { name: 'Quick', confidential: true, scopes: chosen })
  const made = await createKey(ctx, { application_id: id, name: 'Quick', scopes: ofKey })
  expect((await app.request('GET /v1/livestreams/', { token: made.key })).status).toBe(200)
  const wanted = { application_id: id, url: 'http://127.0.0.1:4000/webhooks', event_types: ['chat.message.sent'] }
  expect(await createSubscriptionForApplication(ctx, wanted)).toMatchObject({ status: 'enabled' })
})
