import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Problem, type ProblemCode } from '../../src/domain/core/problem.ts'
import { problems } from '../../src/domain/core/problem-table.ts'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { createDocument } from '../../src/rest/openapi/document.ts'
import { specification } from '../support/specification.ts'
import { rowsOf, textsBelow } from '../support/texts.ts'

const text = readFileSync('docs/specification.md', 'utf8')
const sections = new Map(
  text.split(/^#{2,3} (?=\d)/m).map((section) => [/^[\d.]*\d/.exec(section)?.[0] ?? '', section] as const),
)
const rowsOfSection = (number: string) => rowsOf(sections.get(number) ?? '')
const codesIn = (cell = '') => [...cell.matchAll(/`(.+?)`/g)].map(([, code = '']) => code)
const statusesIn = (cell = '') => (cell.match(/\d{3}/g) ?? []).map(Number)

describe('docs/specification.md', () => {
  test('has the operations that the service is tested against, with every status', () => {
    const rows = rowsOfSection('4').map(([method, path, , success, failures, also]) => ({
      route: `${method} ${path}`,
      success: statusesIn(success).at(0),
      failures: statusesIn(failures),
      also: statusesIn(also),
    }))
    expect(rows).toEqual(
      specification.map(({ route, success, failures, also }) => ({ route, success, failures, also })),
    )
  })

  test('has their scopes, and who may call them', () => {
    const rows = rowsOfSection('5').filter(([route = '']) => route.includes(' /'))
    const guarded = specification.filter(({ scopes }) => scopes.length > 0)
    expect(rows.map(([route, scopes, application]) => [route, codesIn(scopes), application])).toEqual(
      guarded.map(({ route, scopes, by }) => [route, scopes, by === 'user' ? 'no' : 'yes']),
    )
  })

  test('has every event type', () => {
    expect(rowsOfSection('6').map(([type]) => type)).toEqual([...subscribableTypes, 'webhook.test'])
  })

  test('has every error code, at its status', () => {
    const codes = Object.keys(problems) as ProblemCode[]
    const listed = rowsOfSection('7').filter(([status = '']) => /^\d{3}$/.test(status))
    expect(listed.flatMap(([status, cell]) => codesIn(cell).map((code) => [code, Number(status)]))).toEqual(
      codes.map((code) => [code, new Problem(code, '').status]),
    )
  })

  test.each([
    ['2.1', 'TokenResponse'],
    ['2.2', 'CurrentUser'],
    ['2.3', 'Channel'],
    ['2.4', 'Category'],
    ['2.5', 'Livestream'],
    ['2.6', 'ListedMessage'],
    ['2.6', 'SentMessage'],
    ['2.7', 'Ban'],
    ['2.8', 'CreatedSubscription'],
    ['4.6', 'WorkReport'],
  ])('section %s has the fields of %s', (section, name) => {
    const { properties } = createDocument('https://api.example.com').components.schemas[name] as { properties: object }
    const rows = rowsOfSection(section).map(([field = '']) => field)
    for (const field of Object.keys(properties)) expect(rows).toContain(field)
  })

  test.each([
    ['4.1', 'CreateTokenRequest'],
    ['4.2', 'RevokeTokenRequest'],
    ['4.3', 'SendChatMessageRequest'],
    ['4.4', 'CreateBanRequest'],
    ['4.5', 'CreateSubscriptionRequest'],
  ])('section %s has the fields of %s', (section, name) => {
    const { properties } = createDocument('https://api.example.com').components.schemas[name] as { properties: object }
    const fields = rowsOfSection(section).map(([field]) => field)
    expect(fields).toEqual(Object.keys(properties))
  })
})

/** Documents whose sections may be cited. */
const CITED = /(RFC \d+(?:bis)?|OpenID Connect(?: Core)?|W3C Trace Context|docs\/specification\.md),? $/

test('a comment that cites a section says of what, and what it cites is there', () => {
  for (const { path, text } of [...textsBelow('src'), ...textsBelow('test')]) {
    const prose = text.replace(/\n\s*(\*|\/\/) /g, ' ')
    for (const { 0: citation, 1: number = '', index } of prose.matchAll(/\b[Ss]ections? (\d[\d.]*\d|\d)/g)) {
      const [, source] = CITED.exec(prose.slice(0, index)) ?? []
      expect(source, `${path}: ${citation}`).toBeDefined()
      if (source?.startsWith('docs/')) expect([...sections.keys()], `${path}: ${citation}`).toContain(number)
    }
  }
})
