import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizationCodes, refreshTokens, users } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import type { TestClient } from '../support/context.ts'
import { basic, CALLBACK, credentials, type Fields, NATIVE_CALLBACK, pkce } from '../support/flows.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../support/people.ts'

let app: PeopleApp
let narrow: TestClient
beforeAll(async () => {
  app = await createPeopleApp()
  narrow = await app.newClient({ scopes: ['channel:read', 'chat:read'], redirectUris: [CALLBACK] })
})
afterAll(() => app[Symbol.asyncDispose]())

const causeOf = ({ body }: { body: { error: { code: string; message: string } } }) =>
  `${body.error.code} ${body.error.message}`
const exchange = async (fields: Fields) => causeOf(await app.token(fields))
const refresh = async (token: string, of?: TestClient) => causeOf(await app.refresh(token, of))

describe('S06 the refusal of a scope says which, why, and what may be asked for', () => {
  const possible = 'Those that may be asked for: channel:read chat:read'
  test.each([
    ['chat:read nope', `scope: there is no scope nope. ${possible}`],
    ['chat:write', `scope: chat:write is more than may be asked for here. ${possible}`],
    ['chat:read  channel:read', `scope: has a space too many. ${possible}`],
    ['channel:read,chat:read', `scope: must have one space between two scopes, and nothing else. ${possible}`],
    ['channel:read, chat:read', `scope: must have one space between two scopes, and nothing else. ${possible}`],
    ['channel:read+chat:read', `scope: must have one space between two scopes, and nothing else. ${possible}`],
    ['channel:read\tchat:read', `scope: must have one space between two scopes, and nothing else. ${possible}`],
    ['"chat:read"', `scope: there is no scope ?chat:read?. ${possible}`],
    ['chät:read\u{1f600}', `scope: there is no scope ch?t:read??. ${possible}`],
    ['x'.repeat(5000), `scope: there is no scope ${'x'.repeat(50)}. ${possible}`],
  ])('%j', async (scope, message) => {
    const own = await app.forApplication(narrow, { scope })
    expect(causeOf(own)).toBe(`invalid_scope ${message}`)
    expect(own.headers.get('www-authenticate')).toBe(
      `Bearer realm="api", error="invalid_scope", error_description="${message}"`,
    )
    const back = parametersOf(await app.newBrowser().get(app.askPath(narrow, { scope })))
    expect([back.error, back.error_description]).toEqual(['invalid_scope', message])
  })

  test('at a refresh those of the grant may be asked for; where there is none, that is said', async () => {
    const { refresh_token } = await app.newGrant()
    expect(causeOf(await app.refresh(refresh_token, app.client, { scope: 'chat:write' }))).toBe(
      'invalid_scope scope: chat:write is more than may be asked for here. Those that may be asked for: user:read chat:read',
    )
    const none = await app.newClient({ scopes: [] })
    expect(causeOf(await app.forApplication(none))).toBe('invalid_scope scope: there is none that may be asked for.')
  })
})

describe('A30 a redirect address that is not registered is shown', () => {
  const refusalOf = async (client: TestClient, redirect_uri: string | undefined) => {
    const { status, body } = await app.request(`GET ${app.askPath(client, { redirect_uri })}`)
    return `${status} ${body.error.message}`
  }
  const differ = '127.0.0.1, [::1] and localhost are different addresses'

  test('with what is easily overlooked on the own computer', async () => {
    expect(await refusalOf(app.client, 'https://evil.example/')).toBe(
      '400 redirect_uri: https://evil.example/ is not registered for this application, letter for letter.',
    )
    const local = 'http://localhost:5173/callback'
    expect(await refusalOf(app.native, local)).toBe(
      `400 redirect_uri: ${local} is not registered for this application, letter for letter. ${differ}.`,
    )
    expect(await refusalOf(app.client, local)).toMatch(`${differ}, and the port counts, too.`)
    for (const uri of [CALLBACK, NATIVE_CALLBACK])
      expect(await refusalOf(app.client, `${uri}x`)).not.toContain(`${uri} `)
  })

  test('or what is missing', async () => {
    const [none, several] = [await app.newClient(), await app.newClient({ redirectUris: [CALLBACK, `${CALLBACK}2`] })]
    expect(await refusalOf(none, undefined)).toBe('400 redirect_uri: this application has registered none.')
    expect(await refusalOf(several, undefined)).toMatch(/^400 redirect_uri: is required, .* registered several\.$/)
    expect((await app.request(`GET ${app.askPath(several)}&redirect_uri=x`)).body.error.message).toBe(
      'redirect_uri: was sent twice.',
    )
  })

  test('bounded, and as text', async () => {
    const odd = `javascript:<script>alert(1)</script>\r\n${'x'.repeat(5000)}`
    expect((await refusalOf(app.client, odd)).length).toBeLessThan(300)
    const page = await app.newBrowser().get(app.askPath(app.client, { redirect_uri: odd }))
    expect(page.text).not.toContain('<script')
  })
})

describe('G19 why a code is refused', () => {
  const unproven = 'invalid_grant code: is unknown, of another application, or does not belong to this code_verifier.'
  const used = 'invalid_grant code: was used before. Whoever uses one twice loses all tokens that came of it.'

  test('used, expired, of another address', async () => {
    const fields = await app.newCode()
    expect((await app.token(fields)).status).toBe(200)
    expect(await exchange(fields)).toBe(used)
    expect(await exchange({ ...fields, code_verifier: pkce().verifier })).toBe(used)

    const late = await app.newCode()
    await app.elapse(authorizationCodes, 'expiresAt', 60_000)
    expect(await exchange(late)).toBe('invalid_grant code: has expired. It can be exchanged for 60 seconds.')

    const astray = await app.newCode()
    const address = 'invalid_grant redirect_uri: is not the address that the code was sent to.'
    expect(await exchange({ ...astray, redirect_uri: `${CALLBACK}/` })).toBe(address)
    expect(await exchange({ ...(await app.newCode()), redirect_uri: 'x', code_verifier: pkce().verifier })).toBe(
      address,
    )
  })

  test('unknown, another client’s and a wrong verifier are alike', async () => {
    const { code = '', ...fields } = await app.newCode()
    const causes = [
      await exchange({ ...fields, code: mint('code') }),
      await exchange({ ...fields, code: 'x' }),
      await exchange({ ...fields, code, ...credentials(app.other) }),
      await exchange({ ...fields, code, code_verifier: pkce().verifier }),
    ]
    expect(causes).toEqual(causes.map(() => unproven))
  })

  test('who has not authenticated learns nothing', async () => {
    const fields = await app.newCode()
    await app.token(fields)
    expect(await exchange({ ...fields, client_secret: mint('secret') })).toMatch(/^invalid_client /)
  })

  test('another token in its place is called what it is', async () => {
    const { access_token, refresh_token } = await app.newGrant()
    const fields = await app.newCode()
    expect(await exchange({ ...fields, code: access_token })).toBe('invalid_grant code: is an access token.')
    expect(await exchange({ ...fields, code: refresh_token })).toBe('invalid_grant code: is a refresh token.')
    expect((await app.token(fields)).status).toBe(200)
  })
})

describe('F16 why a refresh token is refused', () => {
  test('an application’s own token is none', async () => {
    const { body } = await app.forApplication()
    const message =
      'refresh_token: is an access token. An application gets no refresh token for its own: it asks for another one by client_credentials.'
    expect(await refresh(body.access_token)).toBe(`invalid_grant ${message}`)
    expect(await refresh(mint('key'))).toBe('invalid_grant refresh_token: is an API key.')
  })

  test('unknown and another client’s are alike', async () => {
    const unknown = 'invalid_grant refresh_token: is unknown, or of another application.'
    const { refresh_token } = await app.newGrant()
    for (const one of [mint('refresh'), 'x', `${refresh_token}x`]) expect(await refresh(one)).toBe(unknown)
    expect(await refresh(refresh_token, app.other)).toBe(unknown)
  })

  test('revoked, used before, expired, of an account that is closed', async () => {
    const first = await app.newGrant()
    const next = (await app.refresh(first.refresh_token)).body
    await app.refresh(next.refresh_token)
    expect(await refresh(first.refresh_token)).toMatch(/^invalid_grant refresh_token: was used before\./)
    expect(await refresh(next.refresh_token)).toBe('invalid_grant refresh_token: its grant has been revoked.')

    const { refresh_token } = await app.newGrant()
    const closed = await app.user('closed')
    const theirs = await app.newGrant(app.client, ['user:read'], closed)
    const fields = await app.newCode(app.client, ['user:read'], closed)
    await app.context.db
      .update(users)
      .set({ disabledAt: inMs(0) })
      .where(eq(users.id, closed.id))
    expect(await refresh(theirs.refresh_token)).toBe('invalid_grant refresh_token: the account of its user is closed.')
    expect(await exchange(fields)).toBe('invalid_grant code: the account of its user is closed.')
    await app.elapse(refreshTokens, 'expiresAt', 30 * 86_400_000)
    expect(await refresh(refresh_token)).toMatch(/^invalid_grant refresh_token: has expired\./)
  })

  test('what is said has no secret in it, and fits a challenge', async () => {
    const { refresh_token } = await app.newGrant()
    const headers = { authorization: basic(app.other.id, app.other.secret) }
    const reply = await app.token({ grant_type: 'refresh_token', refresh_token }, headers)
    expect(reply.text + reply.headers.get('www-authenticate')).not.toContain(refresh_token)
    expect(reply.headers.get('www-authenticate')).not.toContain('?')
  })
})
