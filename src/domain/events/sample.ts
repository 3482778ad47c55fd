import * as z from 'zod'
import { type EventType, eventTypes } from './types.ts'

type Json = { [key: string]: unknown }

/** An example of the `data` of an event type, assembled from the examples in its schema. */
export function sampleData(type: EventType): object {
  const schema = z.toJSONSchema(eventTypes[type], { io: 'input', reused: 'inline' }) as Json
  return sampleOf(schema, (schema.$defs ?? {}) as Json) as object
}

function sampleOf(schema: Json, definitions: Json): unknown {
  if ('example' in schema) return schema.example
  if (typeof schema.$ref === 'string') {
    return sampleOf(definitions[schema.$ref.split('/').at(-1) ?? ''] as Json, definitions)
  }
  if (Array.isArray(schema.anyOf)) return sampleOf(schema.anyOf[0] as Json, definitions)
  const fields = Object.entries((schema.properties ?? {}) as Json)
  return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field as Json, definitions)]))
}
