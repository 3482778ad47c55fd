import { expect, test } from 'vitest'
import { isWellFormed, mint, successorOf, type TokenKind } from '../../src/domain/access/token-format.ts'
import { isSame } from '../../src/domain/core/timing-safe.ts'

const kinds: Record<TokenKind, string> = {
  access: 'lsat',
  refresh: 'lsrt',
  code: 'lsac',
  device: 'lsdc',
  secret: 'lscs',
  key: 'lsk',
  overlay: 'lsok',
  stream: 'lssk',
  link: 'lsml',
}
const kindNames = Object.keys(kinds) as TokenKind[]

test.each(Object.entries(kinds))('%s tokens are a prefix, 43 random digits and 6 of a checksum', (kind, prefix) => {
  const token = mint(kind as TokenKind)
  expect(token).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{49}$`))
  expect(isWellFormed(kind as TokenKind, token)).toBe(true)
})

test('a token of one kind passes for no other', () => {
  for (const kind of kindNames) {
    const token = mint(kind)
    expect(kindNames.filter((other) => isWellFormed(other, token))).toEqual([kind])
  }
})

test('tokens do not repeat and use the whole alphabet', () => {
  const tokens = Array.from({ length: 500 }, () => mint('access'))
  expect(new Set(tokens).size).toBe(500)
  expect(new Set(tokens.map((token) => token.slice(5, 48)).join('')).size).toBe(62)
})

test.each([
  ['one digit altered', (token: string) => token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a')],
  ['its random part altered', (token: string) => `lsat_${token[5] === 'a' ? 'b' : 'a'}${token.slice(6)}`],
  ['a digit more', (token: string) => `${token}0`],
  ['a digit less', (token: string) => token.slice(0, -1)],
  ['another case', (token: string) => token.toUpperCase()],
  ['a space', (token: string) => ` ${token}`],
  ['a line break after it', (token: string) => `${token}\n`],
])('a token with %s is none', (_what, alter) => {
  expect(isWellFormed('access', alter(mint('access')))).toBe(false)
})

test('the samples of the documents are none, so nobody takes them for real ones', () => {
  expect(isWellFormed('access', `lsat_${'0'.repeat(43)}AAAAAA`)).toBe(false)
  expect(isWellFormed('access', `lsat_${'a'.repeat(49)}`)).toBe(false)
})

test('a refresh token has one successor under a key, and another under another key', () => {
  const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const token = mint('refresh')
  expect(isWellFormed('refresh', successorOf(token, one))).toBe(true)
  expect(successorOf(token, one)).toBe(successorOf(token, one))
  expect(successorOf(token, one)).not.toBe(successorOf(token, other))
  expect(successorOf(mint('refresh'), one)).not.toBe(successorOf(token, one))
})

test('secrets are compared as a whole, whatever their lengths (CVE-2026-49265)', () => {
  expect(isSame(Buffer.from('abc'), Buffer.from('abc'))).toBe(true)
  expect(isSame(Buffer.from('abc'), Buffer.from('abd'))).toBe(false)
  expect(isSame(Buffer.from('abc'), Buffer.from('ab'))).toBe(false)
})
