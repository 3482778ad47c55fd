type Schema = { [key: string]: unknown }

/**
 * A part of the document as all tools can read it. Objects are open, because answers may gain fields (docs/specification.md,
 * section 9). What may be null says so in `type`: the other form, `anyOf` with null, has no equal in OpenAPI 3.0.
 */
export function portable<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(portable) as Part
  if (typeof part !== 'object' || part === null) return part
  const { additionalProperties, ...rest } = part as Schema
  const kept = additionalProperties === false ? rest : part
  const entries = Object.entries(kept).map(([key, value]) => [key, portable(value)])
  return nullableInType(Object.fromEntries(entries)) as Part
}

function nullableInType(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [one, other] = anyOf as [Schema, Schema]
  return other.type === 'null' && typeof one.type === 'string' ? { ...one, ...rest, type: [one.type, 'null'] } : schema
}

/**
 * A part of a document as it is shown: fields that are marked as extensions, and values that only extensions have, are accepted
 * beside those of the specification but not shown among them. The marks themselves are shown nowhere.
 */
export function withExtensions<Part>(part: Part, isExtension: boolean): Part {
  if (Array.isArray(part)) return part.map((one) => withExtensions(one, isExtension)) as Part
  if (typeof part !== 'object' || part === null) return part
  const { 'x-extension': _, 'x-extension-enum': values, ...rest } = part as Schema
  const kept = isExtension && values !== undefined ? { ...rest, enum: values } : rest
  const entries = Object.entries(kept).filter(([, value]) => isExtension || !isMarked(value))
  return Object.fromEntries(entries.map(([key, value]) => [key, withExtensions(value, isExtension)])) as Part
}

const isMarked = (value: unknown): boolean => typeof value === 'object' && value !== null && 'x-extension' in value
