/** An operation of the API as its document describes it, as far as a request is made of it. */
export type DescribedOperation = {
  id: string
  tag: string
  summary: string
  method: string
  path: string
  parameters: DescribedParameter[]
  /** The fields of a body as an example; undefined when the operation takes none. */
  body: Record<string, unknown> | undefined
}
export type DescribedParameter = {
  name: string
  in: 'path' | 'query'
  isRequired: boolean
  description: string
  example: string
  choices: string[]
}

type Reference = { $ref?: string }
type Schema = Reference & {
  type?: string
  enum?: string[]
  default?: unknown
  example?: unknown
  examples?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}
type Parameter = Reference & {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
  schema?: Schema
}
type Operation = {
  operationId: string
  tags?: string[]
  summary?: string
  security?: object[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
}
export type ApiDocument = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

/** Not what is asked with a secret of its own, such as tokens, or is for machines. */
const isForTokens = (path: string, { security = [] }: Operation) => path.startsWith('/v1/') && security.length > 0

/** What can be tried with a token, in the order of the document. */
export function describedOperations(document: ApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => isForTokens(path, operation))
      .map(([method, operation]) => described(document, path, method, operation)),
  )
}

function described(document: ApiDocument, path: string, method: string, operation: Operation): DescribedOperation {
  const { operationId, tags = [], summary = '', parameters = [], requestBody } = operation
  const schema = requestBody?.content['application/json']?.schema
  return {
    id: operationId,
    tag: tags[0] ?? 'Other',
    summary,
    method: method.toUpperCase(),
    path,
    parameters: parameters
      .map((one) => (one.$ref ? document.components.parameters[nameOf(one.$ref)] : one))
      .filter((one) => one !== undefined)
      .filter((one) => one.in === 'path' || one.in === 'query')
      .map(parameterOf),
    body: schema && exampleOf(document, schema),
  }
}

const nameOf = (reference: string) => reference.split('/').at(-1) ?? ''

function parameterOf({ name, in: place, required = false, description = '', example, schema = {} }: Parameter) {
  return {
    name,
    in: place === 'path' ? 'path' : 'query',
    isRequired: required,
    description: description.replaceAll('`', ''),
    example: String(example ?? schema.examples?.[0] ?? ''),
    choices: schema.enum ?? [],
  } as const
}

/** The fields that a body must have, and those of which the document has an example. */
function exampleOf(document: ApiDocument, schema: Schema): Record<string, unknown> {
  const { properties = {}, required = [] } = resolved(document, schema)
  const fields = Object.entries(properties).map(
    ([name, one]) => [name, exampleValueOf(resolved(document, one))] as const,
  )
  return Object.fromEntries(fields.filter(([name, value]) => required.includes(name) || value !== null))
}

const resolved = (document: ApiDocument, schema: Schema): Schema =>
  schema.$ref ? (document.components.schemas[nameOf(schema.$ref)] ?? {}) : schema

function exampleValueOf({ type, example, examples, default: preset, enum: choices, items }: Schema): unknown {
  const known = example ?? examples?.[0] ?? preset ?? choices?.[0]
  if (known !== undefined) return known
  if (type === 'array') return items ? [exampleValueOf(items)].filter((item) => item !== null) : []
  return type === 'string' ? '' : null
}
