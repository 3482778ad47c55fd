import type { ProblemCode } from '../../domain/core/problem.ts'
import { problems } from '../../domain/core/problem-table.ts'
import type { Operation } from '../../routers/operation-meta.ts'

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null | undefined
export type JsonObject = { [key: string]: Json }
export type Response = {
  description: string
  headers?: JsonObject
  content?: { 'application/json': { schema: JsonObject } }
}

/** The one shape of errors (docs/specification.md, section 7). */
export const envelopeComponents = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', enum: Object.keys(problems), example: 'invalid_request' },
          message: { type: 'string', example: 'room_name: is required (string).' },
        },
      },
    },
  },
} satisfies JsonObject

const header = (description: string, example: Json) => ({
  description,
  schema: { type: typeof example, example } as JsonObject,
})

export const headerComponents = {
  Link: header('The next page as `<…>; rel="next"`; absent on the last page.', '</v1/channels/?cursor=…>; rel="next"'),
  ETag: header('Send it back in `If-None-Match` to learn with 304 that nothing has changed.', 'W/"2jmj7l5rSw0yVb"'),
  'RateLimit-Limit': header('Requests that the credential may make in a window.', 800),
  'RateLimit-Remaining': header('Requests that are left in this window.', 799),
  'RateLimit-Reset': header('Seconds until the window ends.', 60),
  'RateLimit-Policy': header('The limit and its window in seconds.', '800;w=60'),
  'Retry-After': header('Seconds until another try can succeed.', 12),
} satisfies Record<string, JsonObject>

const refer = (...names: (keyof typeof headerComponents)[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The success response at its declared status, in its envelope, with the headers that it carries. */
export function successOf({ status, envelope, method, path }: Operation, schema: JsonObject | undefined): Response {
  const isRead = method === 'GET' && path.startsWith('/v1/')
  const limits = path.startsWith('/v1/')
    ? refer('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy')
    : {}
  const headers = { ...limits, ...(isRead && refer('ETag')), ...(envelope === 'page' && refer('Link')) }
  const dressed = (description: string, body: JsonObject) => ({ ...json(description, body), headers })
  if (status === 204 || !schema) return { description: 'Done; there is no body.', headers }
  if (envelope === 'none') return dressed('Success', schema)
  if (envelope === 'data') return dressed('Success', dataOf(schema))
  const { items } = schema.properties as JsonObject
  return dressed('One page of the list', dataOf(items as JsonObject))
}

/** A failure with the codes that an operation can give at this status. */
export function failureOf(status: number, codes: readonly ProblemCode[]): Response {
  const failure = json(codes.map(linked).join(', '), { $ref: '#/components/schemas/Error' })
  return status === 429 || status === 503 ? { ...failure, headers: refer('Retry-After') } : failure
}

/** The code, leading to its cause and its remedy. */
const linked = (code: ProblemCode) => `[\`${code}\`](/docs/guides/errors#${code})`

const dataOf = (schema: JsonObject): JsonObject => ({
  type: 'object',
  required: ['data'],
  properties: { data: schema },
})
const json = (description: string, schema: JsonObject): Response => ({
  description,
  content: { 'application/json': { schema } },
})
