import { expect, test } from 'vitest'
import { mint, type TokenKind } from '../../src/domain/access/token-format.ts'
import { prettyLine } from '../../src/telemetry/pretty-line.ts'
import { describeError, withoutSecrets } from '../../src/telemetry/redaction.ts'

const TOKEN = `lsat_${'a1'.repeat(24)}B`

test.each([
  ['a token, wherever it stands', `{"msg":"refused ${TOKEN} of cli_1"}`, TOKEN],
  ['a token with something before it', `{"path":"/x/xx${TOKEN}"}`, TOKEN],
  ['an Authorization header', '{"authorization":"Basic aHVudGVyMg=="}', 'aHVudGVyMg'],
  ['a cookie', '{"headers":{"cookie":"sid=hunter2; a=\\"b"}}', 'hunter2'],
  ['a password', '{"password":"hunter\\"2"}', 'hunter'],
  ['a signing secret', '{"msg":"made whsec_aHVudGVyMmh1bnRlcjJodW50ZXIy"}', 'aHVudGVyMmh1'],
  ['the password of a database', '{"url":"postgres://app:hunter2@db:5432/app"}', 'hunter2'],
])('the log never shows %s', (_, line, secret) => {
  expect(withoutSecrets(line)).not.toContain(secret)
  expect(() => JSON.parse(withoutSecrets(line))).not.toThrow()
})

test.each(['device_code', 'id_token', 'x-csrf-token', 'new_password', 'webhook_secret', 'logout_assertion'])(
  'a field that ends as secrets do is hidden, whoever adds it: %s',
  (name) => {
    expect(withoutSecrets(`{"${name}":"hunter\\"2","path":"/"}`)).toBe(`{"${name}":"…","path":"/"}`)
  },
)

test('the log shows of no kind of token more than its prefix, wherever it stands', () => {
  const kinds: Record<TokenKind, true> = {
    access: true,
    refresh: true,
    code: true,
    device: true,
    secret: true,
    key: true,
    overlay: true,
    link: true,
    stream: true,
  }
  for (const kind of Object.keys(kinds) as TokenKind[]) {
    const token = mint(kind)
    const [prefix] = token.split('_')
    expect(withoutSecrets(`{"url":"/v1/events?key=${token}&wait=5"}`)).toBe(
      `{"url":"/v1/events?key=${prefix}_…&wait=5"}`,
    )
  }
})

test('what is no secret stays readable', () => {
  const fields = '{"code":"23505","token_type":"Bearer","secret_id":"sec_1","encoded":"x"}'
  expect(withoutSecrets(fields)).toBe(fields)
  const line = '{"level":"info","route":"GET /v1/channels/{slug}","client_id":"cli_0123456789","msg":"token refused"}'
  expect(withoutSecrets(line)).toBe(line)
})

test('a line of the log is cleaned in a time that grows with its length, whatever a stranger wrote into it', () => {
  const begun = performance.now()
  expect(withoutSecrets('a.'.repeat(100_000))).toHaveLength(200_000)
  expect(withoutSecrets('"a_'.repeat(100_000))).toHaveLength(300_000)
  expect(withoutSecrets('postgres://user:hidden@host/')).not.toContain('hidden')
  expect(performance.now() - begun).toBeLessThan(2_000) // it was a minute
})

test('the error of a query is logged without the values that the query was given', () => {
  const cause = Object.assign(new Error('duplicate key'), { code: '23505', constraint_name: 'users_username_key' })
  const logged = describeError(new Error('Failed query: insert into users\nparams: hunter2,me@example.org', { cause }))
  expect(JSON.stringify(logged)).not.toContain('hunter2')
  expect(logged).toMatchObject({
    message: 'Failed query: insert into users',
    cause: { code: '23505', constraint: 'users_username_key' },
  })
})

test('a person at a terminal reads sentences', () => {
  const shown = prettyLine(
    '{"level":"warn","time":"2026-01-02T03:04:05.678Z","status":503,"msg":"The database is away"}',
  )
  expect(shown).toContain('03:04:05.678')
  expect(shown).toContain('The database is away status=503')
})

test('and the terminal obeys nothing of them', () => {
  const hostile = 'a\u001b[2Jb\u202e'
  const err = { stack: `Error: ${hostile}\n    at x` }
  const shown = prettyLine(
    JSON.stringify({ level: 'none', msg: hostile, operation: hostile, nested: { hostile }, err }),
  )
  const [, ...said] = shown.split('\u001b[0m') // our own colours are before
  expect(said.join()).not.toMatch(/[^\n\P{C}]/u)
  expect(shown).toMatch(/Error: a\\u\{1b\}\[2Jb\\u\{202e\}\n {4}at x/)
})
