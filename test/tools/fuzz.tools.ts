import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { createDocument, createExtensionsDocument } from '../../src/rest/openapi/document.ts'
import { createTestApp } from '../support/app.ts'
import { folderWithDocument, startPrism, tools, violationsOf } from './support.ts'

// Values by one foreign tool, judged by another, with nothing of `npm run fuzz`: json-schema-faker makes what the schemas of a document
// allow, and now and then something else is put in its place; Prism says what of a request and of an answer the document does not allow.

/** Of each operation; `FOREIGN_FUZZ=1700` for a long look, which is some 50,000. */
const REQUESTS = Number(process.env.FOREIGN_FUZZ ?? 15)
/** What no schema tells, and descriptions do: of two fields that exclude or need each other. */
const TOLD = /^(?:since: cannot be given together|key: is one credential|client_\w+: )|: is required\.$/

type Schema = { properties?: Record<string, Schema>; required?: string[]; maximum?: number }
type Generate = (schema: Schema, options: object) => unknown
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  security?: Record<string, string[]>[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
type Described = {
  paths: Record<string, Record<string, Operation>>
  components: { parameters?: Record<string, Parameter>; schemas: Record<string, Schema> }
}

const app = await createTestApp({ counters: unlimitedCounters })
const user = await app.user('streamer')
const tokens = [await app.token(scopes, { user }), await app.token(scopes)].map((token) => `Bearer ${token}`)
const client = await app.client()
const basic = `Basic ${btoa(`${client.id}:${client.secret}`)}`
afterAll(() => app[Symbol.asyncDispose]())

/** In place of one value in four of every other request. */
const odd = [
  null,
  '',
  '\0',
  -1,
  1e300,
  true,
  [],
  {},
  'x'.repeat(9_000),
  '../..',
  "' or 1=1 --",
  '💥',
  ['x'],
  { x: null },
]
const pick = <One>(list: readonly One[]): One => list[Math.floor(Math.random() * list.length)] as One // no list here is empty

describe.each([
  ['the document', createDocument],
  ['the document of the extensions', createExtensionsDocument],
])('%s', (_, create) => {
  const folder = folderWithDocument(app.base, create)
  const document = create(app.base) as unknown as Described
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
  let prism: Awaited<ReturnType<typeof startPrism>>
  let generate: Generate
  beforeAll(async () => {
    generate = (await import(join(tools, 'node_modules/json-schema-faker/dist/index.js'))).generateSync // it is a module alone
    prism = await startPrism(folder.document, app.base)
  })
  afterAll(async () => {
    await prism?.[Symbol.asyncDispose]()
    folder.remove()
  })

  const make = (schema: Schema, isOdd: boolean) =>
    isOdd && Math.random() < 0.25 ? pick(odd) : generate({ ...schema, components: document.components } as Schema, {})

  function send(
    { path, method, parameters = [], security = [], requestBody }: (typeof operations)[number],
    isOdd: boolean,
  ) {
    const given = parameters
      .map((one) =>
        one.$ref ? (document.components.parameters?.[one.$ref.split('/').at(-1) ?? ''] as Parameter) : one,
      )
      .filter(({ name, required }) => name !== 'wait' && (required || Math.random() < 0.4))
      .map((one) => ({ ...one, value: textOf(make(one.schema, isOdd)) }))
    const of = (place: string) =>
      given.filter((one) => one.in === place).map(({ name, value }) => [name, value] as const)
    const inPath = new Map(of('path'))
    const target = path.replaceAll(/\{(\w+)\}/g, (_match, name) => encodeURIComponent(inPath.get(name) || 'x'))
    const sent = Object.fromEntries(of('header').filter(([, value]) => /^[\x21-\x7e]{1,200}$/.test(value)))
    const body = requestBody && bodyOf(requestBody, isOdd)
    const type = body !== undefined && { 'content-type': 'application/json' }
    const headers = {
      ...sent,
      ...type,
      authorization: JSON.stringify(security).includes('Basic') ? basic : pick(tokens),
    }
    const search = new URLSearchParams(of('query').map(([name, value]): [string, string] => [name, value]))
    const address = `${prism.base}${target}?${search}`
    return fetch(address, { method, headers, redirect: 'manual', body: body ?? null })
  }

  /** As JSON, which alone carries every value. */
  function bodyOf({ content }: NonNullable<Operation['requestBody']>, isOdd: boolean) {
    const { schema = {} } = content['application/json'] ?? {}
    const whole = make(schema, false) as Record<string, unknown>
    const fields = Object.entries(whole).map(([name, value]) => [
      name,
      isOdd && Math.random() < 0.25 ? pick(odd) : value,
    ])
    return JSON.stringify(Object.fromEntries(fields))
  }

  test.each(operations)('$operationId', { timeout: 60_000 + REQUESTS * 500 }, async (operation) => {
    for (let sent = 0; sent < REQUESTS; sent++) {
      const isOdd = sent % 2 === 1
      const response = await send(operation, isOdd)
      const { status } = response
      const text = await response.text()
      const violations = violationsOf(response, 'response')
      expect(status, text).toBeLessThan(500)
      if (!isOdd) violations.push(...violationsOf(response, 'request'), ...refusalIn(status, text))
      expect({ status, text, violations }).toEqual({ status, text, violations: [] })
    }
  })
})

/** What is said of a request that has not the shape which it should have. */
function refusalIn(status: number, text: string): string[] {
  const { code, message } = status === 400 ? JSON.parse(text).error : {}
  return code === 'invalid_request' && !TOLD.test(message) ? [message] : []
}

/** A value as it stands in an address. */
const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed()
