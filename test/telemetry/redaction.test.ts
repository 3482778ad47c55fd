import { expect, test } from 'vitest'
import { prettyLine } from '../../src/telemetry/pretty-line.ts'
import { describeError, withoutSecrets } from '../../src/telemetry/redaction.ts'

const TOKEN = `lsat_${'a1'.repeat(24)}B`

test.each([
  ['a token, wherever it stands', `{"msg":"refused ${TOKEN} of cli_1"}`, TOKEN],
  ['an Authorization header', '{"authorization":"Basic aHVudGVyMg=="}', 'aHVudGVyMg'],
  ['a cookie', '{"headers":{"cookie":"sid=hunter2; a=\\"b"}}', 'hunter2'],
  ['a password', '{"password":"hunter\\"2"}', 'hunter'],
  ['a signing secret', '{"msg":"made whsec_aHVudGVyMmh1bnRlcjJodW50ZXIy"}', 'aHVudGVyMmh1'],
  ['the password of a database', '{"url":"postgres://app:hunter2@db:5432/app"}', 'hunter2'],
])('the log never shows %s', (_, line, secret) => {
  expect(withoutSecrets(line)).not.toContain(secret)
  expect(() => JSON.parse(withoutSecrets(line))).not.toThrow()
})

test('what is no secret stays readable', () => {
  const line = '{"level":"info","route":"GET /v1/channels/{slug}","client_id":"cli_0123456789","msg":"token refused"}'
  expect(withoutSecrets(line)).toBe(line)
})

test('a line of the log is cleaned in a time that grows with its length, whatever a stranger wrote into it', () => {
  const begun = performance.now()
  expect(withoutSecrets('a.'.repeat(100_000))).toHaveLength(200_000)
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
