import { afterAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

const READ = 'GET, HEAD, OPTIONS'
const FORM = 'GET, HEAD, POST, OPTIONS'

describe.each([
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
])('%s', (path, allow) => {
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
