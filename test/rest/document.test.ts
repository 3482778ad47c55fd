import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { problems } from '../../src/domain/core/problem-table.ts'
import { createDocument } from '../../src/rest/openapi/document.ts'
import { routes } from '../../src/rest/openapi/routes.ts'
import { specification } from '../support/specification.ts'

const document = createDocument('https://api.example.com')
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
)
const operationAt = (route: string) => operations.find(([name]) => name === route)?.[1]

test('the document lists exactly the operations of the specification, slashes included', () => {
  expect(operations.map(([route]) => route).toSorted()).toEqual(specification.map(({ route }) => route).toSorted())
})

describe.each(specification)('$route', ({ route, success, failures, also, scopes, by }) => {
  const operation = operationAt(route)
  const statuses = Object.keys(operation?.responses ?? {})

  test('declares its one success, every failure of the specification, and what it can really answer as well', () => {
    expect(statuses.toSorted()).toEqual([success, ...failures, ...also].map(String).toSorted())
  })

  test('asks for its scopes, and lets API keys do what needs no user', () => {
    const asked = operation?.security?.filter((one) => 'oauth2' in one || 'apiKey' in one)
    const byToken = scopes.map((scope) => ({ oauth2: [scope] }))
    expect(asked).toEqual(scopes.length > 0 && by !== 'user' ? [...byToken, { apiKey: [] }] : byToken)
  })
})

test('success under /v1 is `data` and nothing else; lists are arrays', () => {
  for (const [route, { responses }] of operations.filter(([name]) => name.includes('/v1/'))) {
    const schema = Object.values(responses)[0]?.content?.['application/json'].schema
    if (responses['204']) expect(schema, route).toBeUndefined()
    else expect(schema, route).toMatchObject({ type: 'object', required: ['data'] })
  }
  const list = operationAt('GET /v1/channels/')?.responses['200']
  expect(list?.content?.['application/json'].schema).toMatchObject({ properties: { data: { type: 'array' } } })
  expect(Object.keys(list?.headers ?? {})).toContain('Link')
})

test('a body has the fields of the specification alone; what extensions take as well is not shown', () => {
  const fieldsOf = (name: string) =>
    Object.keys((document.components.schemas[name] as { properties: object }).properties)
  const client = ['client_id', 'client_secret']
  const grant = ['code', 'code_verifier', 'redirect_uri', 'refresh_token', 'scope']
  expect(fieldsOf('CreateTokenRequest')).toEqual(['grant_type', ...client, ...grant])
  expect(fieldsOf('RevokeTokenRequest')).toEqual(['token', ...client])
})

test('every error code is in the document, under the one envelope', () => {
  const { code } = document.components.schemas.ErrorEnvelope.properties.error.properties
  for (const known of Object.keys(problems)) expect(code.description).toContain(` ${known}`)
  expect(code).not.toHaveProperty('enum') // there may be new ones
})

test('every failure names its codes, each of which leads to its cause and its remedy', () => {
  for (const [route, { responses }] of operations) {
    for (const [status, { description }] of Object.entries(responses).filter(([code]) => Number(code) >= 400)) {
      const codes = [...description.matchAll(/\[`(\w+)`\]\(\/docs\/guides\/errors#(\w+)\)/g)]
      expect(codes.length, `${route} ${status}`).toBeGreaterThan(0)
      for (const [, code = '', anchor] of codes) expect(anchor).toBe(code)
    }
  }
})

test('every schema compiles as JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, uri: true } })
  ajv.addSchema({ $id: 'document', ...document })
  for (const name of Object.keys(document.components.schemas)) {
    expect(ajv.getSchema(`document#/components/schemas/${name}`), name).toBeTypeOf('function')
  }
})

test.each(routes.map(({ operation }) => operation))('no other $method pattern matches $path', ({ method, path }) => {
  const concrete = path.replace(/\{.+?\}/g, 'any_thing')
  const matching = routes.filter(({ operation, pattern }) => operation.method === method && pattern.test(concrete))
  expect(matching).toHaveLength(1) // or the order of declaration would decide which one is called
})

test('what is answered once for all is public and takes nothing', () => {
  const constant = routes.filter(({ operation }) => operation.isConstant)
  expect(constant.map(({ operation }) => operation.route)).toEqual(['GET /health/', 'GET /'])
  for (const { access, fields } of constant) expect([access, fields]).toEqual([undefined, []])
})
