import { describe, expect, test } from 'vitest'
import { mint } from '../../src/domain/access/token-format.ts'
import { clientParameters } from '../../src/domain/oauth/client/presented-credentials.ts'
import { grantParameters } from '../../src/domain/oauth/grants-table.ts'
import { shownRequest } from '../../src/domain/requests/strike-out.ts'

const shown = (body: unknown, operation = 'POST /v1/chat/messages') => shownRequest(operation, { body }) ?? ''

test('what is no secret is shown as it came', () => {
  const body = { room_name: 'ada', content: 'Hello', event_types: ['chat.message.sent'], limit: 5, description: null }
  expect(JSON.parse(shown(body))).toEqual({ body })
})

describe('secrets are struck out by the names of their fields', () => {
  const names = [
    ...['password', 'new_password', 'currentPassword', 'passwd', 'client_secret', 'clientSecret', 'signing-secret'],
    ...['access_token', 'refresh_token', 'id_token', 'token', 'code', 'device_code', 'user_code', 'code_verifier'],
    ...['client_assertion', 'assertion', 'DPoP', 'authorization', 'Cookie', 'api_key', 'apiKey', 'private_key', 'key'],
    ...['credential', 'session_id', 'otp', 'client_secret[]'],
  ]
  test.each(names)('%s', (name) => {
    for (const value of ['short', { nested: 'short' }, ['short']]) {
      expect(shown({ [name]: value, deep: { list: [{ [name]: value }] } })).not.toContain('short')
    }
  })
})

test('at the doors of credentials every field is struck out that is not known to hold none', () => {
  const secrets = Object.entries({ ...clientParameters, ...grantParameters }).filter(([, one]) => 'isSecret' in one)
  const fields = [...secrets.map(([name]) => name), 'anything', 'username']
  const body = Object.fromEntries(fields.map((name) => [name, 'short']))
  expect(secrets.length).toBeGreaterThan(2)
  for (const operation of ['POST /oauth/token', 'POST /oauth/revoke', '/trpc/x'])
    expect(shown(operation === '/trpc/x' ? { ...body, anything: '', username: '' } : body, operation)).not.toContain(
      'short',
    )
})

describe('secrets are struck out by their form, wherever they stand', () => {
  const forms = {
    'a key of ours': mint('key'),
    'a signing secret': 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    'a JWT': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMQ',
    'a header': 'Bearer abc123short',
    'the secret of somebody else': 'AKIA5f3c9e0b7a6d4821aa33bb44cc55dd66',
    'a password in a URL': 'https://user:hunter2pass@example.com/',
    'a parameter of a URL': 'https://example.com/hook?access_token=hunter2pass',
  }
  test.each(Object.entries(forms))('%s', (_, secret) => {
    for (const body of [{ content: secret }, { content: `See ${secret} there` }, { list: [secret] }, { [secret]: 1 }]) {
      const text = shown(body)
      const end = secret.split(/[.@= ]/).find((part) => /\d/.test(part) && part.length > 8) ?? secret
      expect(text).not.toContain(end.slice(-8))
    }
    expect(shownRequest('GET /x', { path: `/v1/channels/${secret}` })).not.toContain(secret)
  })
})

test('where a webhook goes is shown without its query, whatever that is', () => {
  expect(shown({ url: 'https://a.example/hook?k=ab&c' })).toBe('{"body":{"url":"https://a.example/hook?…"}}')
})

test('a form that was sent as something else makes a name of its body, which is not shown', () => {
  expect(shown({ 'client_secret=hunter2&grant_type=x': '' })).toBe('{"body":{"…":"…"}}')
})

test('it is bounded: long texts, many fields, deep nesting', () => {
  let deep: unknown = 'end'
  for (let i = 0; i < 50_000; i++) deep = [deep]
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, 'x'.repeat(1_000)]))
  for (const body of [deep, wide, { content: '😀'.repeat(20_000) }]) {
    expect(Buffer.byteLength(shown(body))).toBeLessThanOrEqual(4_096)
  }
})

test('nothing to show is nothing', () => {
  expect([shownRequest('GET /x', {}), shownRequest('GET /x', { query: {}, body: {} })]).toEqual([null, null])
})
