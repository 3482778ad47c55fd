import { isConditional, type JsonObject } from './document-responses.ts'
import type { RestRoute } from './routes.ts'

type Media = { schema: JsonObject; encoding?: JsonObject; examples?: JsonObject }
export type Body = { content: Record<string, Media> }
export type DescribedParameter = JsonObject & { name: string; in: string }

/** What several operations take in their headers. */
export const parameterComponents = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Of your choice, 1 to 255 visible ASCII characters: the same request with the same key gets the same answer for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' }, // no example: viewers would send it with every request
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'An `ETag` that you have: the answer is 304 while nothing has changed.',
    schema: { type: 'string' },
  },
} satisfies Record<string, JsonObject>

const refer = (name: keyof typeof parameterComponents): JsonObject => ({ $ref: `#/components/parameters/${name}` })

/** Whether a POST under /v1 does its work once for each `Idempotency-Key`. */
export const isRepeatable = ({ form, operation }: RestRoute) => form !== undefined && operation.path.startsWith('/v1/')

/** The parameters of an operation, described where tools look for it, and the headers that it takes. */
export function parametersOf(route: RestRoute, found: readonly DescribedParameter[]): JsonObject[] {
  return [
    ...found.map(describedOutside),
    ...(isRepeatable(route) ? [refer('IdempotencyKey')] : []),
    ...(isConditional(route.operation) ? [refer('IfNoneMatch')] : []),
  ]
}

function describedOutside({ schema, ...parameter }: DescribedParameter): JsonObject {
  const { description, example, ...bare } = schema as JsonObject
  return { ...parameter, ...(description && { description }), schema: bare, ...(example && { example }) }
}

/** The schema of a body, as a component, and the body that refers to it. */
export function bodyOf({ operation, form }: RestRoute, body: Body): { name: string; schema: JsonObject; body: Body } {
  const { id, bodyExamples } = operation
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`
  const [media] = Object.values(body.content)
  const lists = [...(form?.lists ?? [])].map((field) => [field, { style: 'form', explode: true }])
  const examples = bodyExamples && Object.entries(bodyExamples).map(([key, value]) => [key, { value }])
  const mediaOf = (type: string): Media => ({
    schema: { $ref: `#/components/schemas/${name}` },
    ...(lists.length > 0 && type !== 'application/json' && { encoding: Object.fromEntries(lists) }),
    ...(examples && { examples: Object.fromEntries(examples) }),
  })
  const content = Object.fromEntries(Object.keys(body.content).map((type) => [type, mediaOf(type)]))
  return { name, schema: media?.schema ?? {}, body: { ...body, content } }
}
