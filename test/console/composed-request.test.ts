import { describe, expect, test } from 'vitest'
import {
  codeOf,
  compose,
  faultOfBody,
  firstTyped,
} from '../../src/client/console/developer/playground/composed-request.ts'
import {
  type ApiDocument,
  describedOperations,
} from '../../src/client/console/developer/playground/described-operations.ts'
import { createDocument } from '../../src/rest/openapi/document.ts'
import { specification } from '../support/specification.ts'

const operations = describedOperations(createDocument('http://test') as unknown as ApiDocument)
const operationOf = (route: string) => {
  const found = operations.find(({ method, path }) => `${method} ${path}` === route)
  if (!found) throw new Error(`${route} is not offered`)
  return found
}

test('everything that takes a token can be tried, and nothing else', () => {
  const wanted = specification.filter(({ scopes }) => scopes.length > 0).map(({ route }) => route)
  expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(wanted.toSorted())
})

test('each begins with what it must have, as the document has examples of it', () => {
  for (const operation of operations) {
    const { url, body } = compose(operation, firstTyped(operation), 'http://test')
    expect(url).not.toMatch(/[{}]/)
    expect(operation.parameters.filter(({ isRequired, example }) => isRequired && example === '')).toEqual([])
    if (body !== undefined) expect(faultOfBody(body), operation.id).toBeUndefined()
  }
  expect(JSON.parse(firstTyped(operationOf('POST /v1/chat/messages')).body)).toMatchObject({
    room_name: expect.any(String),
  })
})

test('what is typed is encoded, and what is empty is left out', () => {
  const list = operationOf('GET /v1/chat/messages')
  const typed = { values: { room_name: 'a&b=c', limit: '', cursor: 'ä' }, body: '' }
  expect(compose(list, typed, '')).toEqual({
    method: 'GET',
    url: '/v1/chat/messages?room_name=a%26b%3Dc&cursor=%C3%A4',
    body: undefined,
  })
  const one = operationOf('GET /v1/channels/{slug}')
  expect(compose(one, { values: { slug: '../x?y' }, body: '' }, '').url).toBe('/v1/channels/..%2Fx%3Fy')
})

describe('as code', () => {
  const request = { method: 'POST', url: 'http://test/v1/x?a=b', body: '{\n "text": "it\'s \\"$HOME\\" ${1}"\n}' }
  test('for a shell nothing in it means anything', () => {
    expect(codeOf('curl', request)).toBe(`curl -X POST 'http://test/v1/x?a=b' \\
  -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"text":"it'\\''s \\"$HOME\\" \${1}"}'`)
  })

  test('in TypeScript it is the same text', () => {
    const code = codeOf('TypeScript', request)
    const [, json = ''] = /JSON\.stringify\((.*)\),\n/.exec(code) ?? []
    expect(JSON.parse(json)).toEqual(JSON.parse(request.body))
    expect(code).toContain("method: 'POST'")
  })

  test('in Python it is the same text', () => {
    const [, literal = ''] = /json\.loads\((.*)\),\n/.exec(codeOf('Python', request)) ?? []
    expect(JSON.parse(JSON.parse(literal))).toEqual(JSON.parse(request.body))
  })
})
