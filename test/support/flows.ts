import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import type { Caller } from '../../src/domain/core/caller.ts'
import type { Context } from '../../src/domain/core/context.ts'
import type { Scope } from '../../src/domain/core/scopes.ts'
import { issueCode } from '../../src/domain/oauth/authorization-endpoint.ts'
import { createTestApp } from './app.ts'
import type { TestClient } from './context.ts'

export type Fields = Record<string, string>
export const CALLBACK = 'https://client.example/callback'
export const NATIVE_CALLBACK = 'http://127.0.0.1/callback'
export const SCOPES: readonly Scope[] = ['user:read', 'chat:read']

export const caller = (more: Partial<Caller> = {}): Caller => ({
  authorization: undefined,
  session: undefined,
  address: '127.0.0.1',
  isForwarded: false,
  requestId: 'test',
  userAgent: undefined,
  ...more,
})

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const basic = (id: string, secret = '') => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

/** The fields by which a client names itself in the body. */
export const credentials = ({ id, secret }: TestClient): Fields => ({
  client_id: id,
  ...(secret !== undefined && { client_secret: secret }),
})

/** A code that a user has just allowed, without a browser. */
export async function allow(context: Context, client: TestClient, user: { id: string }, scopes = SCOPES) {
  const { verifier, challenge } = pkce()
  const redirectUri = client.secret === undefined ? NATIVE_CALLBACK : CALLBACK
  const login = { authenticatedAt: context.now(), amr: ['pwd'] }
  const asked = { clientId: client.id, userId: user.id, redirectUri, scopes: [...scopes], challenge, login }
  const code = await issueCode({ ...context, caller: caller() }, asked)
  return { code, code_verifier: verifier, redirect_uri: redirectUri }
}

/** Opens the pool's connections, so that what is sent at once next does run at once. */
export const warmUp = ({ db }: Context) =>
  Promise.all(Array.from({ length: 8 }, () => db.transaction((tx) => tx.execute(sql`select 1`))))

/** The service with two confidential clients, a public one, a user, and the calls that most tests make. Nothing is throttled. */
export async function createOAuthApp(overrides: Parameters<typeof createTestApp>[0] = {}) {
  const app = await createTestApp({ counters: unlimitedCounters, ...overrides })
  const [client, other, native, user] = [
    await app.client({ redirectUris: [CALLBACK] }),
    await app.client({ redirectUris: ['https://other.example/callback'] }),
    await app.client({ isConfidential: false, redirectUris: [NATIVE_CALLBACK] }),
    await app.user('ada'),
  ]

  const post =
    (path: string) =>
    (fields: Fields | string, headers: Record<string, string> = {}) =>
      app.request(`POST ${path}`, { body: new URLSearchParams(fields), headers })
  const token = post('/oauth/token')
  const revoke = post('/oauth/revoke')

  /** The fields of an exchange that will succeed. */
  async function newCode(of: TestClient = client, scopes = SCOPES, by = user): Promise<Fields> {
    return { grant_type: 'authorization_code', ...(await allow(app.context, of, by, scopes)), ...credentials(of) }
  }
  async function newGrant(of: TestClient = client, scopes = SCOPES, by = user) {
    const { body } = await token(await newCode(of, scopes, by))
    return body as { access_token: string; refresh_token: string; scope: string; expires_in: number }
  }

  return {
    ...app,
    client,
    newClient: app.client,
    other,
    native,
    ada: user,
    token,
    revoke,
    newCode,
    newGrant,

    refresh: (refreshToken: string, of: TestClient = client, more: Fields = {}) =>
      token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...credentials(of), ...more }),

    forApplication: (of: TestClient = client, more: Fields = {}) =>
      token({ grant_type: 'client_credentials', ...credentials(of), ...more }),

    /** The status with which the profile of a token's user answers: 200 when it lives, 401 when it is dead. */
    statusOf: async (accessToken: string) => (await app.request('GET /v1/users/me', { token: accessToken })).status,
  }
}
export type OAuthApp = Awaited<ReturnType<typeof createOAuthApp>>

/** Status and code of an error, if it has the envelope (docs/specification.md, section 7) and nothing else. */
export function errorOf({ status, body, text }: { status: number; body: unknown; text: string }): string {
  const isEnvelope =
    isObject(body) && sameKeys(body, ['error']) && isObject(body.error) && sameKeys(body.error, ['code', 'message'])
  return isEnvelope ? `${status} ${(body.error as { code: string }).code}` : `${status} without envelope: ${text}`
}
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const sameKeys = (value: object, keys: string[]) => Object.keys(value).toSorted().join() === keys.join()
