import { afterAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/rest/openapi/routes.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

const endpoints = routes.flatMap(({ form, operation }) =>
  form && operation.path.startsWith('/oauth/') ? [operation.route] : [],
)

/** Pairs in the encodings in which a name may come twice; what is encoded is so in the first alone. */
function formsOf(pairs: string) {
  const multipart = new FormData()
  for (const [name, value] of new URLSearchParams(pairs)) multipart.append(name, value)
  return [{ body: pairs, headers: { 'content-type': 'application/x-www-form-urlencoded' } }, { body: multipart }]
}
const json = (body: string) => [{ body, headers: { 'content-type': 'application/json' } }]
const file = new FormData()
for (const pair of ['nul=%00', 'twice=1', 'twice=2'])
  for (const [name, value] of new URLSearchParams(pair)) file.append(name, value)
file.append('client_id', new Blob(['x']), 'x.txt')

const parts = { 'content-type': 'multipart/form-data; boundary=B' }
const fileThenNameless = ['name=client_id; filename=x.txt', 'other=x']
  .map((words) => `--B\r\nContent-Disposition: form-data; ${words}\r\n\r\nx\r\n`)
  .concat('--B--')
  .join('')
const manyNames = Array.from({ length: 201 }, () => 'twice')
const many = [
  { body: new URLSearchParams(manyNames.map((name): [string, string] => [name, ''])) },
  {
    body: `${manyNames.map((name) => `--B\r\nContent-Disposition: form-data; name=${name}\r\n\r\n\r\n`).join('')}--B--`,
    headers: parts,
  },
]

test('there are several endpoints that take a form', () => {
  expect(endpoints).toEqual(
    expect.arrayContaining(['POST /oauth/token', 'POST /oauth/revoke', 'POST /oauth/introspect']),
  )
})

describe.each(endpoints)('%s says what is wrong with a body in one order', (endpoint) => {
  test.each([
    ['syntax before what comes twice', formsOf('nul=%00&twice=1&twice=2&cut=%ff').slice(0, 1), 'cut: must be UTF-8.'],
    ['how many there are before what comes twice', many, 'body: may have at most 200 fields.'],
    [
      'syntax before a file for a text',
      [{ body: fileThenNameless, headers: parts }],
      'body: has a part without a name.',
    ],
    ['a file for a text before what comes twice', [{ body: file }], 'client_id: is a file, and not a text.'],
    ['what comes twice before a NUL', formsOf('nul=%00&twice=1&twice=2'), 'twice: is given twice.'],
    ['a NUL before what is missing', formsOf('nul=%00'), 'nul: must not contain NUL.'],
    ['a type before a NUL', json('{"nul":"\\u0000","client_id":1}'), 'client_id: must be of type string, not number.'],
    ['a type before what is missing', json('{"client_id":1}'), 'client_id: must be of type string, not number.'],
    ['a NUL before what is missing in JSON', json('{"nul":"\\u0000"}'), 'nul: must not contain NUL.'],
  ])('%s', async (_what, bodies, message) => {
    for (const init of bodies) {
      const { status, body } = await app.request(endpoint, init)
      expect([status, body.error]).toEqual([400, { code: 'invalid_request', message }])
    }
  })
})
