import * as z from 'zod'
import { type EventType, eventPayloads, otherPayload } from '../../domain/events/types.ts'
import type { JsonObject } from './document-responses.ts'

/** `chat.message.sent` as a name of a schema: `ChatMessageSentEvent`. */
export const eventSchemaName = (type: string): string => `${pascalCase(type)}Event`

export const pascalCase = (type: string): string =>
  type
    .split('.')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The version of JSON Schema that a document speaks: OpenAPI 3.1 the first, AsyncAPI the second. */
type Target = 'draft-2020-12' | 'draft-7'

/** The payloads of some types, and what they hold, as components of a document by their names. */
export function payloadComponents(types: readonly EventType[], target: Target): JsonObject {
  return Object.assign({}, ...types.map((type) => componentsOf(eventSchemaName(type), eventPayloads[type], target)))
}

/** The payload of a type that is not known yet. */
export const otherPayloadComponent = (): JsonObject => componentsOf('OtherEvent', otherPayload, 'draft-2020-12')

function componentsOf(name: string, payload: z.ZodType, target: Target): JsonObject {
  const written = z.toJSONSchema(payload, {
    target,
    io: 'input',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      const { example } = jsonSchema as JsonObject
      delete jsonSchema.id
      if (example === undefined || target === 'draft-2020-12') return
      delete (jsonSchema as JsonObject).example
      jsonSchema.examples = [example]
    },
  })
  const { $schema, $defs, definitions = $defs, ...schema } = referring(written as JsonObject)
  return { [name]: schema, ...(definitions as JsonObject) }
}

/** A reference leads into the document and not into the schema. */
function referring(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema).replaceAll(/#\/(\$defs|definitions)\//g, '#/components/schemas/'))
}
