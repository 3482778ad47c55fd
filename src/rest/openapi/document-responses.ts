import type { ProblemCode } from '../../domain/core/problem.ts'
import { problems } from '../../domain/core/problem-table.ts'
import type { Operation } from '../../routers/operation-meta.ts'

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null | undefined
export type JsonObject = { [key: string]: Json }
export type Response = {
  description: string
  headers?: JsonObject
  content?: { 'application/json': { schema: JsonObject }; 'text/event-stream'?: { schema: JsonObject } }
}

/** The one shape of errors (docs/specification.md, section 7). */
export const envelopeComponents = {
  ErrorEnvelope: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: {
            type: 'string',
            description: `What to act on. There may be new ones; at present: ${Object.keys(problems).join(', ')}.`,
            example: 'invalid_request',
          },
          message: {
            type: 'string',
            description: 'What to show to a developer. Its wording may change.',
            example: 'room_name: is required (string).',
          },
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
  'RateLimit-Policy': header(
    'The limits by name: `q` requests in `w` seconds, or at once where it has no `w`.',
    '"default";q=800;w=60',
  ),
  RateLimit: header('The same limits: `r` requests are left for `t` seconds.', '"default";r=799;t=60'),
  'Retry-After': header('Seconds until another try can succeed.', 12),
} satisfies Record<string, JsonObject>

/** Headers of a response, by their names. */
const headersOf = (...names: (keyof typeof headerComponents)[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

export const limitHeaders = () =>
  headersOf('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy', 'RateLimit')

/** The success response at its declared status, in its envelope, with the headers that it carries. */
export function successOf(operation: Operation, schema: JsonObject | undefined): Response {
  const { status, envelope, path } = operation
  const limits = path.startsWith('/v1/') ? limitHeaders() : {}
  const headers = {
    ...limits,
    ...(isConditional(operation) && headersOf('ETag')),
    ...(envelope === 'page' && headersOf('Link')),
  }
  const dressed = (description: string, body: JsonObject) => ({ ...json(description, body), headers })
  if (status === 204 || !schema) return { description: 'Done; there is no body.', headers }
  if (envelope === 'none') return dressed('Success', schema)
  if (envelope === 'data') return dressed('Success', dataOf(schema))
  const { items } = schema.properties as JsonObject
  return dressed('One page of the list', dataOf(items as JsonObject))
}

/** Whether an answer has an `ETag`: what is read under /v1, less the feed, whose answers are for one moment. */
export const isConditional = ({ method, path, envelope }: Operation) =>
  method === 'GET' && path.startsWith('/v1/') && envelope !== 'feed'

/** The answer to `If-None-Match` while nothing has changed. */
export const unchanged: Response = {
  description: 'Nothing has changed; there is no body.',
  headers: { ...headersOf('ETag'), ...limitHeaders() },
}

/** A failure with the codes that an operation can give at this status. */
export function failureOf(status: number, codes: readonly ProblemCode[]): Response {
  const failure = json(codes.map(linked).join(', '), { $ref: '#/components/schemas/ErrorEnvelope' })
  return status === 429 || status === 503 ? { ...failure, headers: headersOf('Retry-After') } : failure
}

/** The code, leading to its cause and its remedy. */
const linked = (code: ProblemCode) => `[\`${code}\`](/docs/guides/errors#${code})`

export const dataOf = (schema: JsonObject): JsonObject => ({
  type: 'object',
  required: ['data'],
  properties: { data: schema },
})
const json = (description: string, schema: JsonObject): Response => ({
  description,
  content: { 'application/json': { schema } },
})
