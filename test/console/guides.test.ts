import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { problems } from '../../src/domain/core/problem-table.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { createTestApp } from '../support/app.ts'
import { filesOf } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { guide, writeExample } from './support/guide.ts'

const app = await createTestApp()
const folder = temporaryFolder()
afterAll(async () => {
  folder[Symbol.dispose]()
  await app[Symbol.asyncDispose]()
})

const names = readdirSync('docs/guides').map((file) => file.replace(/\.md$/, ''))
const pages = [...names, 'changelog']
const example = (name: string, file: string) => writeExample(folder.path, name, file)

describe('the guides', () => {
  test.each(pages)('%s is a page and Markdown, with the address of this service', async (name) => {
    const page = await app.request(`GET /docs/guides/${name}`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/)
    const { text } = await app.request(`GET /docs/guides/${name}.md`)
    expect([text.startsWith('# '), text.includes('api.example.com')]).toEqual([true, false])
    expect(page.text).not.toContain('api.example.com')
  })

  test('have no dead link among our own pages', async () => {
    const all = ['/docs/guides/', ...pages.map((name) => `/docs/guides/${name}`)]
    const texts = await Promise.all(all.map(async (page) => (await app.request(`GET ${page}`)).text))
    const targets = texts.flatMap((text) => [...text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href))
    const ours = targets.map((href) => href.replace(app.base, '')).filter((href) => href.startsWith('/'))
    for (const path of new Set(ours.filter((href) => !href.startsWith('/console/')))) {
      expect((await app.request(`GET ${path}`)).status, path).toBeLessThan(400)
    }
  })

  test('have their examples beside them, with the address of this service', async () => {
    const files = names.flatMap((name) => Object.entries(filesOf(guide(name))))
    expect(files.map(([file]) => file)).toEqual(expect.arrayContaining(['receiver.mjs', 'signed-call.mjs']))
    expect(new Set(files.map(([file]) => file)).size).toBe(files.length)
    for (const [file, code] of files) {
      const { text, headers } = await app.request(`GET /docs/guides/${file}`)
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(text).toBe(code.replaceAll('https://api.example.com', app.base))
    }
  })

  test('let nobody who pastes them send something to a foreign host', () => {
    const blocks = names.flatMap((name) => [...guide(name).matchAll(/^```\w+.*\n([\s\S]*?)^```$/gm)])
    const addresses = blocks.flatMap(([, code = '']) => code.match(/https?:(\/\/|%2F%2F)[^\s"'`/%?{]+/g) ?? [])
    expect(new Set(addresses.map((address) => address.replaceAll('%2F', '/').replace('%3A', ':')))).toEqual(
      new Set(['https://api.example.com', 'http://127.0.0.1:4000', 'http://127.0.0.1:$', 'https://app.example.org']),
    )
  })

  test('llms.txt leads to every guide and to the document', async () => {
    const { text, headers } = await app.request('GET /llms.txt')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    for (const name of pages) expect(text).toContain(`${app.base}/docs/guides/${name}.md`)
    expect(text).toContain(`${app.base}/openapi.json`)
  })

  test('have every error code with its cause and remedy, at an anchor of its name', async () => {
    const rows = Object.entries(problems).map(
      ([code, { status, cause, remedy }]) => `| <a id="${code}"></a>\`${code}\` | ${status} | ${cause} | ${remedy} |\n`,
    )
    const table = /(?<=^\| Code .*\n.*\n)(\|.*\n)+/m
    // npx vitest run console/guides -u writes the table anew
    await expect(guide('errors').replace(table, rows.join(''))).toMatchFileSnapshot('../../docs/guides/errors.md')
    const { text } = await app.request('GET /docs/guides/errors')
    for (const code of Object.keys(problems)) expect(text).toContain(`<a id="${code}"></a>`)
  })

  test('name every scope and event type', () => {
    const missing = (words: readonly string[], text: string) => words.filter((word) => !text.includes(`\`${word}\``))
    expect(missing(scopes, guide('authentication'))).toEqual([])
    expect(missing(subscribableTypes, guide('webhooks'))).toEqual([])
  })
})

test('an application signs and binds its tokens as the guide shows', async () => {
  const run = (file: string, env = {}) =>
    promisify(execFile)(process.execPath, [example('dpop', file)], {
      cwd: folder.path,
      env: { ...process.env, ...env },
    })
  const jwks = JSON.parse((await run('make-keys.mjs')).stdout)
  const owner = { ...app.context, principal: { kind: 'operator' as const } }
  const registered = { name: 'Signing job', confidential: true, jwks, dpop_bound: true }
  const { id } = await createApplication(owner, registered)
  expect((await run('signed-call.mjs', { API: app.base, CLIENT_ID: id })).stdout).toBe('200\n')
})

test('the walk of the guide to paging gives every item once', async () => {
  for (const name of ['ada', 'bob', 'cal', 'dan', 'eve']) await app.user(name)
  const env = { ...process.env, API_KEY: await app.token(['channel:read']) }
  const words = [example('paging', 'pages.mjs'), `${app.base}/v1/channels/?limit=2`]
  const { stdout } = await promisify(execFile)(process.execPath, words, { env })
  expect(stdout.trim().split('\n')).toEqual(['ada', 'bob', 'cal', 'dan', 'eve'])
})
