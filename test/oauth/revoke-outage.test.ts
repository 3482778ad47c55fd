import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { createOAuthApp, credentials, errorOf } from '../support/flows.ts'

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

test('V11 when only the revocation itself cannot be written, it is 503 too, and the token lives on', async () => {
  await using app = await createOAuthApp()
  const { access_token, refresh_token } = await app.newGrant()
  const run = (text: string) => app.context.db.execute(sql.raw(text))
  await run(
    "create function fail() returns trigger language plpgsql as $$ begin raise 'no' using errcode = '53300'; end $$",
  )
  for (const table of ['grants', 'access_tokens'])
    await run(`create trigger fail before update on ${table} for each statement execute function fail()`)
  for (const token of [refresh_token, access_token]) {
    expect(errorOf(await app.revoke({ token, ...credentials(app.client) }))).toBe('503 unavailable')
  }
  expect(await app.statusOf(access_token)).toBe(200)
  for (const table of ['grants', 'access_tokens']) await run(`drop trigger fail on ${table}`)
  expect((await app.revoke({ token: refresh_token, ...credentials(app.client) })).status).toBe(200)
  expect(await app.statusOf(access_token)).toBe(401)
})
