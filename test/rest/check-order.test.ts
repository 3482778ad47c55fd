import { afterAll, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { rateLimits } from '../../src/domain/core/rate-limits.ts'
import type { Scope } from '../../src/domain/core/scopes.ts'
import { createTestApp } from '../support/app.ts'
import { createOAuthApp, credentials } from '../support/flows.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const alice = await app.user('alice')

type Asked = { method: string; path: string; token?: string; body?: string; headers: Record<string, string> }
/** A refusal, and what is changed in a request so that it has this fault no more. */
type Step = readonly [refusal: string, mended: Partial<Asked>]

const LARGE = '{'.repeat(70_000)
const keyed = { 'idempotency-key': 'one' }
const text = { ...keyed, 'content-type': 'text/plain' }
const json = { ...keyed, 'content-type': 'application/json' }

/** The refusals of a request with every fault, of which one after the other is mended. */
async function refusalsOf(
  asked: Asked,
  steps: readonly Step[],
  from: Pick<typeof app, 'request'> = app,
): Promise<string[]> {
  const refusals: string[] = []
  let now = asked
  for (const [, mended] of steps) {
    const { method, path, ...init } = now
    const { status, body } = await from.request(`${method} ${path}`, init)
    refusals.push(`${status} ${body.error.code}: ${body.error.message}`)
    now = { ...now, ...mended }
  }
  return refusals
}

const matching = (steps: readonly Step[]) => steps.map(([refusal]) => expect.stringContaining(refusal))

async function exhausted(scopes: readonly Scope[]) {
  const token = await app.token(scopes, { user: alice })
  for (let n = 0; n < rateLimits.credential.points; n++) await app.context.counters.take(rateLimits.credential, token)
  return token
}

test.each([
  {
    path: '/v1/chat/messages',
    scope: 'chat:write',
    field: 'content',
    wrong: { room_name: 'alice', content: 1 },
    refused: { room_name: 'alice', content: 'x'.repeat(501) },
    by: '400 message_too_long',
  },
  {
    path: '/v1/moderation/bans',
    scope: 'moderation:write',
    field: 'user_id',
    wrong: { user_id: 1 },
    refused: { user_id: alice.id },
    by: '400 cannot_ban_self',
  },
  {
    path: '/v1/events/subscriptions',
    scope: 'webhook:write',
    field: 'event_types',
    wrong: { url: 'ftp://x', event_types: [] },
    refused: { url: 'ftp://x', event_types: ['chat.message.sent'] },
    by: '400 invalid_url',
  },
] as const)('of many faults the first is said, in the order that is promised: $path', async (operation) => {
  const { path, scope, field, wrong, refused, by } = operation
  const asked = { method: 'PUT', path: `${path}/x/y?${field}=x`, body: LARGE, headers: text }
  const steps: Step[] = [
    ['404 not_found', { path: `${path}?${field}=x` }],
    ['405 method_not_allowed', { method: 'POST' }],
    ['401 unauthorized', { token: 'nobody' }],
    ['401 invalid_token', { token: await exhausted(['user:read']) }],
    ['403 insufficient_scope', { token: await exhausted([scope]) }],
    ['429 rate_limited', { token: await app.token([scope], { user: alice }) }],
    [`400 invalid_request: ${field}: belongs in the body`, { path }],
    ['415 unsupported_media_type', { headers: json }],
    ['413 payload_too_large', { body: '{' }],
    ['400 invalid_request: body: is not what its Content-Type says', { body: JSON.stringify(wrong) }],
    [`400 invalid_request: ${field}: must`, { body: JSON.stringify(refused) }],
    [by, {}],
  ]
  expect(await refusalsOf(asked, steps)).toEqual(matching(steps))
})

test.each([
  ['/v1/chat/messages', 'chat:read'],
  ['/v1/livestreams/', 'livestream:read'],
  ['/v1/events', 'channel:read'],
] as const)('of many faults of a query the first is said as well: %s', async (path, scope) => {
  const asked = { method: 'PUT', path: `${path}?limit=0&cursor=%00`, headers: {} }
  const steps: Step[] = [
    ['405 method_not_allowed', { method: 'GET' }],
    ['401 unauthorized', { token: await exhausted(['user:read']) }],
    ['403 insufficient_scope', { token: await exhausted([scope]) }],
    ['429 rate_limited', { token: await app.token([scope], { user: alice }) }],
    ['400 invalid_request: query: must not contain NUL', { path: `${path}?limit=0` }],
    ['400 invalid_request: limit: must be at least 1', {}],
  ]
  expect(await refusalsOf(asked, steps)).toEqual(matching(steps))
})

test('of many faults of a token request the first is said, in the order that is promised', async () => {
  await using oauth = await createOAuthApp({ counters: memoryCounters() })
  const throttled = { grant_type: 'client_credentials', ...credentials(oauth.client), client_secret: 'wrong' }
  for (let n = 0; n < rateLimits.clientAuthentication.points; n++) await oauth.token(throttled)
  const isPublic = { client_id: oauth.native.id }
  const unknown = { ...throttled, grant_type: 'password' }
  const [nul, type] = [{ x: '\0' }, { scope: [] }]
  const as = (fields: object) => ({ body: JSON.stringify(fields) })
  const path = '/oauth/token'
  const asked = {
    method: 'PUT',
    path: `${path}?client_secret=x`,
    body: LARGE,
    headers: text,
  }
  const steps: Step[] = [
    ['405 method_not_allowed', { method: 'POST' }],
    ['400 invalid_request: client_secret: belongs in the body', { path }],
    ['415 unsupported_media_type', { headers: json }],
    ['413 payload_too_large', { body: '{' }],
    ['400 invalid_request: body: is not what its Content-Type says', as({ ...nul, ...type })],
    ['400 invalid_request: scope: must be of type string', as(nul)],
    ['400 invalid_request: x: must not contain NUL', as({})],
    ['400 invalid_request: grant_type: is required', as(unknown)],
    ['400 unsupported_grant_type', as(throttled)],
    ['429 rate_limited', as({ ...isPublic, grant_type: 'client_credentials', client_secret: 'wrong' })],
    ['401 invalid_client', as({ ...isPublic, grant_type: 'client_credentials' })],
    ['400 unauthorized_client', as({ ...isPublic, grant_type: 'authorization_code' })],
    ['400 invalid_request: code: is required', {}],
  ]
  expect(await refusalsOf(asked, steps, oauth)).toEqual(matching(steps))
})
