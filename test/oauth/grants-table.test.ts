import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clients } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { grantEndpoints, grantsByType, secretParameters } from '../../src/domain/oauth/grants-table.ts'
import { revokeConsents } from '../../src/domain/oauth/revoke-grants.ts'
import { grantDescriptions, grantTypes } from '../../src/shared/grants.ts'
import { withoutSecrets } from '../../src/telemetry/redaction.ts'
import { countedDatabase } from '../support/counted-database.ts'
import { createOAuthApp, credentials, errorOf, type OAuthApp } from '../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe.each(grantTypes)('the grant %s', (grantType) => {
  test('has its type as its key, and may be registered', async () => {
    expect(grantsByType[grantType].grantType).toBe(grantType)
    const { id } = await app.newClient()
    const registered = app.context.db.update(clients).set({ grantTypes: [grantType] })
    expect(await registered.where(eq(clients.id, id)).returning({ types: clients.grantTypes })).toEqual([
      { types: [grantType] },
    ])
  })

  test('authenticates the client before it looks at a parameter', async () => {
    const wrong = { client_id: app.client.id, client_secret: mint('secret') }
    expect(errorOf(await app.token({ grant_type: grantType, ...wrong }))).toBe('401 invalid_client')
  })

  test('is refused to a client that is not registered for it', async () => {
    const other = await app.newClient()
    const types = grantTypes.filter((one) => one !== grantType)
    await app.context.db.update(clients).set({ grantTypes: types }).where(eq(clients.id, other.id))
    const refused = await app.token({ grant_type: grantType, ...credentials(other) })
    expect(errorOf(refused)).toBe('400 unauthorized_client')
    const { label } = grantDescriptions[grantType]
    expect(refused.body.error.message).toMatch(new RegExp(`settings of the application, under Grants: "${label}"`))
  })
})

/** Elsewhere `code` names the kind of an error, which must stay readable: of codes the log hides the form. */
const samples: Record<string, string> = { code: mint('code') }

test.each(secretParameters)('the log never shows the parameter %s', (name) => {
  const value = samples[name] ?? 'a-value-of-no-known-form'
  expect(withoutSecrets(JSON.stringify({ [name]: value }))).not.toContain(value)
})

test.each(Object.entries(grantEndpoints))('the metadata says where a grant begins: %s', async (name, path) => {
  const { body } = await app.request('GET /.well-known/oauth-authorization-server')
  expect(body[name]?.replace('?error_format=rfc6749', '')).toBe(app.context.publicUrl + path)
})

/** Tables whose rows a user has allowed and an application may exchange, once. */
const exchangeableOnce = sql`
  select table_name from information_schema.columns
  where table_schema = 'public' and column_name in ('user_id', 'client_id', 'consumed_at')
  group by table_name having count(*) = 3`

test('what a user has allowed and no grant was made of yet ends with their consent, wherever a grant keeps it', async () => {
  const names = (await app.context.db.execute<{ table_name: string }>(exchangeableOnce)).map((row) => row.table_name)
  expect(names).toContain('authorization_codes')
  await using counted = countedDatabase(app.target)
  const { id: userId } = await app.user('lends_no_more')
  await transact({ ...app.context, db: counted.db }, (tx) =>
    revokeConsents(tx, { userId }, { reason: 'user', actor: { type: 'user', id: userId } }),
  )
  const asked = counted.sent.map(({ text }) => text).join()
  for (const name of names) expect(asked).toMatch(new RegExp(`delete from ${name} where user_id = `))
})
