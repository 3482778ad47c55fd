import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { refreshTokens } from '../../src/db/schema/index.ts'
import { createOAuthApp, credentials, type Fields, type OAuthApp } from '../support/flows.ts'

// A request may come to the database long after its client has given it up, tried again at another process, which was back
// sooner, and gone on from there. Then it finds its code or token used, by nobody else than its own client.

/** How many other connections are at work in the database, in all or waiting for a row. */
async function busyWith({ context }: OAuthApp, which: 'transactions' | 'locked rows'): Promise<number> {
  const condition = which === 'transactions' ? "state <> 'idle'" : "wait_event_type = 'Lock'"
  const found = await context.db.execute(sql`
    select 1 from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and ${sql.raw(condition)}`)
  return found.length
}

/** Sends a request for tokens, gives it up while it waits for a row of `table`, and resolves when it has ended all the same. */
async function sendLate(app: OAuthApp, fields: Fields, table: string): Promise<void> {
  const client = new AbortController()
  await app.context.db.transaction(async (tx) => {
    await tx.execute(sql.raw(`select 1 from ${table} for update`))
    const isClosed = new Promise((resolve) => {
      app.server.once('request', (_, response) => response.once('close', resolve))
    })
    const body = new URLSearchParams(fields)
    const answer = fetch(`${app.base}/oauth/token`, { method: 'POST', body, signal: client.signal })
    const isLost = expect(answer).rejects.toThrow('aborted')
    await expect.poll(() => busyWith(app, 'locked rows')).toBe(1)
    client.abort()
    await Promise.all([isLost, isClosed])
  })
  await expect.poll(() => busyWith(app, 'transactions')).toBe(0)
}

const refreshOf = ({ client }: OAuthApp, refresh_token: string): Fields => ({
  grant_type: 'refresh_token',
  refresh_token,
  ...credentials(client),
})

test('F17 a refresh that comes after its client has gone on from a retry ends nothing', async () => {
  await using app = await createOAuthApp()
  const granted = await app.newGrant()
  const { body: retried } = await app.refresh(granted.refresh_token)
  const { body: newest } = await app.refresh(retried.refresh_token)
  await sendLate(app, refreshOf(app, granted.refresh_token), 'grants')
  expect(await app.statusOf(granted.access_token)).toBe(200)
  expect((await app.refresh(newest.refresh_token)).status).toBe(200)
})

test('F17 a refresh that nobody waits for consumes nothing: who tries again after the grace is served', async () => {
  await using app = await createOAuthApp()
  const { refresh_token } = await app.newGrant()
  await sendLate(app, refreshOf(app, refresh_token), 'grants')
  await app.elapse(refreshTokens, 'consumedAt', 120_000)
  expect((await app.refresh(refresh_token)).status).toBe(200)
})

test('G20 an exchange that comes after its client has exchanged the code ends nothing', async () => {
  await using app = await createOAuthApp()
  const fields = await app.newCode()
  const { body } = await app.token(fields)
  await sendLate(app, fields, 'authorization_codes')
  expect(await app.statusOf(body.access_token)).toBe(200)
  expect(
    app.lines.filter((line) => line.includes('"error"')),
    'who left is no fault of ours',
  ).toEqual([])
})
