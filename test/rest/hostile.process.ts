import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import * as schema from '../../src/db/schema/index.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { createDocument, createExtensionsDocument } from '../../src/rest/openapi/document.ts'
import { routes } from '../../src/rest/openapi/routes.ts'
import type { Operation } from '../../src/routers/operation-meta.ts'
import { createTestApp } from '../support/app.ts'

/** `HOSTILE_RUNS=2000` for a long look; the short one still differs with every run and prints the seed that failed. */
const numRuns = Number(process.env.HOSTILE_RUNS ?? 25)

const app = await createTestApp({ counters: unlimitedCounters })
afterAll(() => app[Symbol.asyncDispose]())
const document = createDocument(app.base)
const user = await app.user('ada')
const tokens = [await app.token(scopes, { user }), await app.token(scopes), await app.token([]), 'nobody', undefined]

const stateful = [schema.chatMessages, schema.bans, schema.webhookSubscriptions, schema.events, schema.accessTokens]
const stateOf = async () => (await Promise.all(stateful.map((table) => app.context.db.$count(table)))).join()

// ---- what strangers send
const names = [...new Set(routes.flatMap(({ fields }) => fields))]
const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 600 }),
  fc.constantFrom(
    'ada',
    '',
    ' ',
    '\0',
    '\ud800',
    '__proto__',
    '../..',
    '%00',
    "' or 1=1 --",
    '💥'.repeat(600),
    '1e999',
  ),
  fc.constantFrom(user.id, 'usr_00000000000000000000000000', 'https://example.com/', 'chat.message.sent'),
)
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...names) },
  fc.constantFrom('__proto__', 'constructor'),
  oddText,
)
const oddValue = fc.oneof(
  oddText,
  fc.jsonValue(),
  fc.array(oddText, { maxLength: 3 }),
  fc.double(),
  fc.bigInt().map(Number),
)
const pairs = fc.array(fc.tuple(name, oddText), { maxLength: 8 })
const formText = (entries: [string, string][]) =>
  new URLSearchParams(entries.map(([key, value]): [string, string] => [wellFormed(key), wellFormed(value)])).toString()
const multipartText = (entries: [string, string][]) =>
  `${entries.map(([key, value]) => `--b\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`).join('')}--b--\r\n`
/** Half a surrogate pair cannot be in an address. */
const wellFormed = (value: string) => Buffer.from(value).toString()

const bodies = fc.oneof(
  fc.dictionary(name, oddValue).map((fields) => ({ type: 'application/json', bytes: JSON.stringify(fields) })),
  fc.jsonValue().map((value) => ({ type: 'application/json', bytes: JSON.stringify(value) })),
  fc.nat(5000).map((depth) => ({ type: 'application/json', bytes: `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}` })),
  pairs.map((entries) => ({ type: 'application/x-www-form-urlencoded', bytes: formText(entries) })),
  pairs.map((entries) => ({ type: 'multipart/form-data; boundary=b', bytes: multipartText(entries) })),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ type: 'application/x-www-form-urlencoded', bytes })),
  fc.tuple(oddText.map(asHeader), oddText).map(([type, bytes]) => ({ type, bytes })),
)
const queries = pairs.map((entries) => formText(entries))
const headers = fc.dictionary(
  fc.constantFrom('if-none-match', 'accept', 'cookie', 'origin', 'x-request-id', 'idempotency-key', 'content-encoding'),
  oddText.map(asHeader),
)
const attempts = fc.record({
  parameter: oddText,
  query: queries,
  token: fc.constantFrom(...tokens),
  headers,
  body: bodies,
})

/** A header of bytes that Node lets through. */
function asHeader(value: string) {
  return Buffer.from(value)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
}

type Attempt = typeof attempts extends fc.Arbitrary<infer Value> ? Value : never

/** One request to an operation, made of what a stranger might send. */
function send({ method, path }: Operation, { parameter, query, token, headers: odd, body }: Attempt) {
  const target = path.replace(/\{.+?\}/, () => encodeURIComponent(wellFormed(parameter)) || 'x')
  const credential = token === undefined ? {} : { authorization: `Bearer ${token}` }
  if (method !== 'POST') return ask(method, `${target}?${query}`, { ...odd, ...credential })
  return ask(method, `${target}?${query}`, { ...odd, ...credential, 'content-type': body.type }, body.bytes)
}

/** Of what is ours beyond the specification. */
const beyond = createExtensionsDocument(app.base)

describe.each(routes.map(({ operation }) => operation))('$route', (operation) => {
  const { method, path } = operation
  const described = document.paths[path] ?? beyond.paths[path]
  const declared = Object.keys(described?.[method.toLowerCase()]?.responses ?? {})
  // an odd path may be that of another operation or of none, 304 answers any read, and 431 a head that is too large
  const possible = [...declared, '304', '431', ...(path.includes('{') ? ['404', '405'] : [])]

  test('whatever is sent: no crash, the envelope, a declared status, and no change when it is refused', async () => {
    const property = fc.asyncProperty(attempts, async (attempt) => {
      const before = await stateOf()
      const { status, json } = await send(operation, attempt)
      expect(possible).toContain(String(status))
      if (status < 400) return
      expect(json).toEqual({ error: { code: expect.any(String), message: expect.any(String) } })
      expect(await stateOf()).toBe(before)
    })
    await fc.assert(property, { numRuns })
  })
})

test('after all that the process lives, and no property was added to every object', async () => {
  expect((await app.request('GET /health/')).status).toBe(200)
  expect(Object.keys(Object.prototype)).toEqual([])
})

/** node:http, because fetch would mend or refuse much of this. */
async function ask(method: string, path: string, headers: Record<string, string>, body?: string | Uint8Array) {
  const request = httpRequest(app.base + path, { method, headers })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const answer = await text(response)
  return { status: response.statusCode ?? 0, json: answer === '' ? undefined : JSON.parse(answer) }
}
