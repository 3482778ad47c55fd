import { afterAll, describe, expect, test } from 'vitest'
import { pageAt, pages } from '../../src/rest/pages/table.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

const READ = 'GET, HEAD, OPTIONS'
const FORM = 'GET, HEAD, POST, OPTIONS'

const tried = [
  ['/openapi.json', READ],
  ['/events/schemas.json', READ],
  ['/llms.txt', READ],
  ['/docs/', READ],
  ['/docs/guides/webhooks.md', READ],
  ['/console', READ],
  ['/console/developer', READ],
  ['/.well-known/oauth-authorization-server', READ],
  ['/login', FORM],
  ['/logout', FORM],
  ['/signup', FORM],
  ['/oauth/authorize', FORM],
  ['/login/style.css', FORM],
  ['/.well-known/oauth-protected-resource', READ],
] as const

test('every page is tried but /trpc, which refuses methods by itself', () => {
  const pagesTried = new Set(tried.map(([path]) => pageAt(path)?.path))
  expect(pages.filter(({ path }) => !pagesTried.has(path)).map(({ path }) => path)).toEqual(['/trpc'])
})

test('any website may ask what it can do with the metadata, and nothing else of ours', async () => {
  for (const [path] of tried) {
    const { headers } = await app.request(`OPTIONS ${path}`)
    expect(headers.get('access-control-allow-origin')).toBe(path.startsWith('/.well-known/') ? '*' : null)
  }
})

test('below the metadata there is nothing', async () => {
  for (const method of ['GET', 'OPTIONS', 'POST']) {
    expect((await app.request(`${method} /.well-known/oauth-authorization-server/x`)).status).toBe(404)
  }
})

describe.each(tried)('%s', (path, allow) => {
  test('says what it takes', async () => {
    const { status, headers, text } = await app.request(`OPTIONS ${path}`)
    expect([status, headers.get('allow'), text]).toEqual([204, allow, ''])
  })

  test('refuses the rest, and says what it takes', async () => {
    for (const method of allow === READ ? ['POST', 'DELETE'] : ['DELETE']) {
      const { status, headers, body } = await app.request(`${method} ${path}`)
      expect([status, headers.get('allow'), body.error.code]).toEqual([405, allow, 'method_not_allowed'])
    }
  })
})
