import { describe, expect, test } from 'vitest'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { createDocument } from '../../src/rest/openapi/document.ts'
import { examples } from '../../src/shared/examples.ts'

type Schema = { [key: string]: unknown }
type Media = { schema: Schema; encoding?: unknown; examples?: object }
type Parameter = { name: string; in: string; description?: string; example?: unknown; schema: Schema }
type Described = {
  operationId: string
  parameters: Schema[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

const document = createDocument('https://api.example.com')
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, found]) => ({
    route: `${method.toUpperCase()} ${path}`,
    operation: found as unknown as Described,
  })),
)

/** What a reference leads to. */
function at(node: unknown): Schema {
  const { $ref } = node as { $ref?: string }
  if ($ref === undefined) return node as Schema
  const keys = $ref.slice(2).split('/')
  return at(keys.reduce<unknown>((found, key) => (found as Schema)[key], document))
}

/** A schema and all below it, references followed. */
function* schemasIn(node: unknown, seen = new Set<unknown>()): Generator<Schema> {
  if (typeof node !== 'object' || node === null) return
  const schema = at(node)
  if (seen.has(schema)) return
  seen.add(schema)
  yield schema
  for (const below of Object.values(schema)) yield* schemasIn(below, seen)
}

const mediaOf = (content: Record<string, Media> = {}) => Object.values(content).map(({ schema }) => schema)
const answerSchemas = operations.flatMap(({ operation }) =>
  Object.values(operation.responses).flatMap(({ content }) => mediaOf(content).flatMap((one) => [...schemasIn(one)])),
)
const parameters = operations.flatMap(({ route, operation }) =>
  operation.parameters.map((one) => ({ route, parameter: at(one) as unknown as Parameter })),
)
const bodies = operations.flatMap(({ route, operation: { operationId, requestBody } }) =>
  requestBody ? [{ route, operationId, content: requestBody.content }] : [],
)

describe('answers', () => {
  test('are open to new fields, and to new values of what is a set', () => {
    expect(answerSchemas.length).toBeGreaterThan(100)
    for (const schema of answerSchemas) {
      expect(schema).not.toMatchObject({ additionalProperties: false })
      expect(schema).not.toHaveProperty('enum')
    }
  })

  test('say in `type` what may be null', () => {
    expect(answerSchemas.filter(({ anyOf, oneOf }) => anyOf ?? oneOf)).toEqual([])
    const { Livestream, Ban } = document.components.schemas as unknown as Record<string, { properties: Schema }>
    for (const field of [Livestream?.properties.channel, Ban?.properties.blocked_user])
      expect(field).toMatchObject({ type: ['object', 'null'], required: ['id', 'username'] })
  })
})

describe('inputs', () => {
  test('in paths, queries and headers are described at the parameter, and have an example where one works', () => {
    for (const { route, parameter } of parameters) {
      expect(parameter.description, `${route} ${parameter.name}`).toMatch(/^[A-Z].+\.$/)
      expect(parameter.schema).not.toHaveProperty('description')
      expect(parameter.schema).not.toHaveProperty('example')
    }
    const without = parameters.filter(({ parameter }) => parameter.example === undefined)
    expect([...new Set(without.map(({ parameter }) => parameter.name))].toSorted()).toEqual(
      ['Idempotency-Key', 'If-None-Match', 'cursor', 'limit'], // which are optional, and no sample of them does what is wanted
    )
  })

  test('in bodies are components named after the operation, with every field described and an example of each', () => {
    expect(bodies.length).toBe(5)
    for (const { operationId, content } of bodies) {
      const name = operationId.replace(/^./, (first) => first.toUpperCase())
      for (const { schema } of Object.values(content))
        expect(schema).toEqual({ $ref: `#/components/schemas/${name}Request` })
      const { properties } = at(Object.values(content)[0]?.schema) as { properties: Record<string, Schema> }
      for (const [field, { description, example, enum: values }] of Object.entries(properties)) {
        expect(description, field).toMatch(/^[\dA-Z`].+\.$/)
        expect(example ?? values, field).toBeDefined()
      }
    }
  })

  test('have their limits', () => {
    const { schemas } = document.components as unknown as { schemas: Record<string, { properties: Schema }> }
    expect(schemas.SendChatMessageRequest?.properties.content).toMatchObject({ minLength: 1, maxLength: 500 })
    const { url, event_types, description } = schemas.CreateSubscriptionRequest?.properties ?? {}
    expect(url).toMatchObject({ format: 'uri', minLength: 1, maxLength: 2048 })
    expect(event_types).toMatchObject({ minItems: 1, items: { enum: subscribableTypes } })
    expect(description).toMatchObject({ type: ['string', 'null'], maxLength: 500 })
    expect(schemas.CreateTokenRequest?.properties.grant_type).toHaveProperty('enum')
  })

  test('that are lists repeat their name in a form', () => {
    const content = bodies.find(({ route }) => route === 'POST /v1/events/subscriptions')?.content ?? {}
    const encodings = Object.entries(content).map(([type, { encoding }]) => [type, encoding])
    const repeated = { event_types: { style: 'form', explode: true } }
    expect(encodings).toEqual([
      ['application/json', undefined],
      ['application/x-www-form-urlencoded', repeated],
      ['multipart/form-data', repeated],
    ])
  })

  test('of the token endpoint have a whole example for each grant', () => {
    const content = bodies.find(({ route }) => route === 'POST /oauth/token')?.content ?? {}
    for (const { examples: named } of Object.values(content)) {
      for (const [grant, { value }] of Object.entries(named as Record<string, { value: Schema }>))
        expect(value).toMatchObject({ grant_type: grant, client_id: expect.any(String) })
      expect(Object.keys(named ?? {})).toContain('client_credentials')
    }
  })
})

test('what is read under /v1 takes If-None-Match and may be 304', () => {
  const read = operations.filter(({ route }) => route.startsWith('GET /v1/'))
  for (const { operation } of read) {
    expect(operation.responses).toHaveProperty('304')
    expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/IfNoneMatch' })
  }
})

test('operations have names of their own, which are identifiers, and no schema has that of a global of JavaScript', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(operations.length)
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
  expect(ids).toEqual(expect.arrayContaining(['listChannels', 'createBan', 'createSubscription']))
  for (const name of Object.keys(document.components.schemas)) expect(name in globalThis, name).toBe(false)
})

test('clients may authenticate by Basic where tokens are issued and revoked, and nowhere else', () => {
  const basic = operations.filter(({ operation }) => JSON.stringify(operation).includes('clientBasic'))
  expect(basic.map(({ route }) => route)).toEqual(['POST /oauth/token', 'POST /oauth/revoke'])
})

test('the document says whom to ask, under which licence, and what each tag holds', () => {
  const { contact, license } = document.info
  expect([contact.url, license.name]).toEqual(['https://api.example.com/docs/guides/', 'Proprietary'])
  for (const { description } of document.tags) expect(description).toMatch(/\.$/)
})

test('examples name the demonstration', () => {
  const text = JSON.stringify(document)
  expect([text.includes('"ada"'), text.includes(`"example":"${examples.outsiderId}"`)]).toEqual([false, true])
})
