import { afterAll, describe, expect, test } from 'vitest'
import { pageAt, pages } from '../../src/rest/pages/table.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

const READ = 'GET, HEAD, OPTIONS'
const FORM = 'GET, HEAD, POST, OPTIONS'
const CLOSED = "default-src 'none'; frame-ancestors 'none'"

const tried = [
  ['/openapi.json', READ],
  ['/openapi.extensions.json', READ],
  ['/asyncapi.json', READ],
  ['/events/schemas.json', READ],
  ['/overlay/chat', READ],
  ['/llms.txt', READ],
  ['/thumbnails/thm_0.jpg', READ],
  ['/docs/', READ],
  ['/docs/guides/webhooks.md', READ],
  ['/console', READ],
  ['/console/developer', READ],
  ['/.well-known/oauth-authorization-server', READ],
  ['/login', FORM],
  ['/logout', FORM],
  ['/signup', FORM],
  ['/forgot', FORM],
  ['/reset', FORM],
  ['/verify', FORM],
  ['/closed', READ],
  ['/export', READ],
  ['/oauth/authorize', FORM],
  ['/device', FORM],
  ['/login/style.css', FORM],
  ['/.well-known/oauth-protected-resource', READ],
  ['/.well-known/openid-configuration', READ],
  ['/.well-known/oauth-protected-resource/mcp', READ],
  ['/mcp', 'POST, OPTIONS'],
  ['/trpc/categories.list', FORM],
] as const

test('every page is tried', () => {
  const pagesTried = new Set(tried.map(([path]) => pageAt(path)?.path))
  expect(pages.filter(({ path }) => !pagesTried.has(path))).toEqual([])
})

test.each(pages)('$path is answered directly, with a slash at its end and without', async ({ path, methods }) => {
  const method = methods.find((one) => one !== 'OPTIONS')
  const [bare, slashed] = await Promise.all(['', '/'].map((end) => app.request(`${method} ${path}${end}`)))
  expect(slashed?.status).toBe(bare?.status)
  for (const answer of [bare, slashed]) expect(answer?.headers.get('location') ?? '').not.toContain(path)
})

test('below the metadata there is nothing', async () => {
  for (const method of ['GET', 'OPTIONS', 'POST']) {
    expect((await app.request(`${method} /.well-known/oauth-authorization-server/x`)).status).toBe(404)
  }
})

test('where nobody may sign up, there is nothing, by any method', async () => {
  await using closed = await createTestApp({ signup: 'closed' })
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']) {
    const { status, headers } = await closed.request(`${method} /signup`)
    expect([method, status, headers.get('allow')]).toEqual([method, 404, null])
    expect(headers.get('content-security-policy')).toBe(CLOSED)
  }
})

describe.each(tried)('%s', (path, allow) => {
  test('says what it takes', async () => {
    const { status, headers, text } = await app.request(`OPTIONS ${path}`)
    expect([status, headers.get('allow'), text]).toEqual([204, allow, ''])
    expect(headers.get('content-security-policy')).toBe(CLOSED)
  })

  test('refuses the rest, and says what it takes', async () => {
    for (const method of allow === READ ? ['POST', 'DELETE'] : ['DELETE']) {
      const { status, headers, body } = await app.request(`${method} ${path}`)
      expect([status, headers.get('allow'), body.error.code]).toEqual([405, allow, 'method_not_allowed'])
      expect(headers.get('content-security-policy')).toBe(CLOSED)
    }
  })
})
