import { expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { createOAuthApp, credentials, errorOf } from './support/flows.ts'

test('V11 when the store fails the answer is 503, never 200, and shows no SQL (CVE-2020-15223)', async () => {
  await using app = await createOAuthApp()
  const gone = await createTestDatabase()
  await gone[Symbol.asyncDispose]()
  const { refresh_token } = await app.newGrant()
  app.context.db = gone.db
  for (const token of ['x', refresh_token]) {
    const reply = await app.revoke({ token, ...credentials(app.client) })
    expect(errorOf(reply)).toBe('503 unavailable')
    expect(reply.text).not.toMatch(/select|update|postgres|ECONN/i)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})
