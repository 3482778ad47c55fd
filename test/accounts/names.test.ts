import { expect, test } from 'vitest'
import { jsonLine } from '../../src/cli/json-line.ts'
import { table } from '../../src/cli/output.ts'
import { isReserved } from '../../src/domain/accounts/reserved-names.ts'
import { completeRegistration, requireRegistration } from '../../src/domain/applications/registration.ts'
import { callerOf } from '../../src/rest/http/caller.ts'
import { printable } from '../../src/telemetry/printable.ts'

test.each(['admin', 'Admin', 'a_d_m_i_n', '_admin_', 'admin_1', 'operator', 'SYSTEM', 'support24'])(
  'nobody signs up as %s, which would be taken for the operator',
  (name) => expect(isReserved(name)).toBe(true),
)

test.each(['ada', 'systematic', 'administration_fan', 'viewer', 'streamer'])('%s is free', (name) =>
  expect(isReserved(name)).toBe(false),
)

const register = (fields: { name?: string; website_url?: string }) => () =>
  requireRegistration(true, completeRegistration({ name: 'x', confidential: true, ...fields }))

test.each(['\u3164', '\u115f', '\u2800', '\u200b', 'a\u202eb', '  ', '\u0007', '\u2028', '\u00ad', '\u0301'])(
  'an application has no name that cannot be seen: %j',
  (name) => expect(register({ name })).toThrow(/^name: /),
)
test.each(['Ada’s bot', '日本', '❤\ufe0f', 'é', 'A+'])('an application may be named %s', (name) =>
  expect(register({ name })).not.toThrow(),
)

test.each([
  'https://google.com@evil.example/',
  'https://a:b@evil.example',
  'https:/\\\\x@evil.example',
  'https://@evil.example',
])('no website whose host is hidden behind a user name: %s', (website_url) =>
  expect(register({ website_url })).toThrow(/^website_url: /),
)
test('a website may have an @ behind its host', () =>
  expect(register({ website_url: 'https://social.example/@ada?x=@' })).not.toThrow())

test.each([
  ['203.0.113.9:40000', '203.0.113.9'],
  ['203.0.113.9', '203.0.113.9'],
  ['198.51.100.1, [2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['unknown', 'unknown'],
])('what a proxy wrote as %s is the address %s', (forwarded, address) => {
  const request = { headers: { 'x-forwarded-for': forwarded }, rawHeaders: [], socket: { remoteAddress: '127.0.0.1' } }
  expect(callerOf(request as never, 1).address).toBe(address)
})

test('a terminal obeys nothing that came from outside, and nothing is hidden', () => {
  const hostile = 'a\u001b[31mred\u001b]0;title\u0007 \u009b2J\r\nx\u202e'
  expect(printable(hostile)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(table({ response: hostile })).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(printable('❤\ufe0f \u3164')).toBe('❤\ufe0f \\u{3164}')
})

test('a line of JSON shows as escapes what could not be seen, and says the same', () => {
  const said = { a: 'x\u200b\u202ey\u2028\u009b\u{e0001}\u00ad', b: '日本 ❤\ufe0f' }
  const line = jsonLine(said)
  expect(line).toBe(`{"a":"x\\u200b\\u202ey\\u2028\\u009b\\udb40\\udc01\\u00ad","b":"日本 ❤\ufe0f"}\n`)
  expect(JSON.parse(line)).toEqual(said)
})
