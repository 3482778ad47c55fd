import { type Known, pick, type Random, type Schema, textOf, Values } from './values.ts'

type Place = 'path' | 'query' | 'header'
type Parameter = { $ref?: string; in: Place; name: string; required?: boolean; schema: Schema; example?: unknown }
export type Answer = { $ref?: string; description: string; content?: Record<string, { schema: Schema }> }
type Examples = Record<string, { value: object }>
export type Operation = {
  method: string
  path: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema; examples?: Examples }> }
  responses: Record<string, Answer>
}
type Found = Omit<Operation, 'method' | 'path'>
export type Document = {
  paths: Record<string, Record<string, Found>>
  components: Record<string, Record<string, unknown>>
}

/** A request of an operation, without a credential. */
export type Request = {
  operation: Operation
  method: string
  target: string
  headers: Record<string, string>
  body: string | FormData | undefined
  /** Whether all of it is what the document allows. */
  isAllowed: boolean
}

type Body = { content: string | FormData | undefined; headers?: Record<string, string> }

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** What a document describes, and requests of all that it allows, and of more. */
export class Operations {
  readonly #document: Document
  readonly #random: Random
  readonly #values: Values
  readonly list: readonly Operation[]

  constructor(document: Document, random: Random, known: Known) {
    this.#document = document
    this.#random = random
    this.#values = new Values(random, (schema) => this.resolve(schema), known)
    this.list = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => ({ ...(item[method] as Found), method, path })),
    )
  }

  resolve<Part extends { $ref?: string }>(part: Part): Part {
    if (part.$ref === undefined) return part
    const [, , kind = '', name = ''] = part.$ref.split('/')
    return this.resolve(this.#document.components[kind]?.[name] as Part)
  }

  /** One request of an operation; one in three has something that the document does not allow. */
  request(operation: Operation): Request {
    const isWild = this.#random() < 1 / 3
    const given = this.#parameters(operation, isWild)
    const { content, headers: own = {} } = this.#body(operation, isWild)
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(textOf(given.path[name] ?? 'x')))
    const query = new URLSearchParams(
      Object.entries(given.query).map(([name, value]): [string, string] => [name, textOf(value)]),
    )
    return {
      operation,
      method: operation.method.toUpperCase(),
      target: query.size > 0 ? `${path}?${query}` : path,
      headers: { ...own, ...Object.fromEntries(Object.entries(given.header).filter(isHeader)) },
      body: content,
      isAllowed: !isWild,
    }
  }

  #parameters({ parameters = [] }: Operation, isWild: boolean): Record<Place, Record<string, unknown>> {
    const given: Record<Place, Record<string, unknown>> = { path: {}, query: {}, header: {} }
    for (const parameter of parameters.map((one) => this.resolve(one))) {
      if (!parameter.required && this.#random() < 0.6) continue
      given[parameter.in][parameter.name] = this.#valueOf(parameter.schema, parameter.name, isWild)
    }
    return given
  }

  #valueOf(schema: Schema, name: string, isWild: boolean): unknown {
    return isWild && this.#random() < 0.6 ? this.#values.wild() : this.#values.allowed(schema, name)
  }

  #body({ requestBody }: Operation, isWild: boolean): Body {
    if (!requestBody) return { content: undefined }
    const type = pick(this.#random, Object.keys(requestBody.content))
    const { schema = {}, examples = {} } = requestBody.content[type] ?? {}
    const shown = Object.values(examples).map(({ value }) => Object.keys(value))
    const fields = this.#fields(schema, isWild, this.#random() < 0.7 ? shown : [])
    if (type !== 'application/json') return formOf(type, fields)
    const value = isWild && this.#random() < 0.1 ? this.#values.wild() : fields
    return { content: JSON.stringify(value), headers: { 'content-type': type } }
  }

  /** Fields of a body: those of an example, where there are some, else what chance has. */
  #fields(schema: Schema, isWild: boolean, shown: readonly string[][]): Record<string, unknown> {
    const { properties = {}, required = [] } = this.resolve(schema)
    const byChance = () => Object.keys(properties).filter((name) => required.includes(name) || this.#random() < 0.5)
    const names = shown.length > 0 ? pick(this.#random, shown) : byChance()
    const kept = isWild && this.#random() < 0.2 ? names.slice(1) : names
    return Object.fromEntries(kept.map((name) => [name, this.#valueOf(properties[name] ?? {}, name, isWild)]))
  }
}

/** Fields as a form; those of a list one after the other. */
function formOf(type: string, fields: Record<string, unknown>): Body {
  const isMultipart = type === 'multipart/form-data'
  const form = isMultipart ? new FormData() : new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) form.append(name, textOf(one))
  }
  return form instanceof FormData ? { content: form } : { content: form.toString(), headers: { 'content-type': type } }
}

const isHeader = (entry: [string, unknown]): entry is [string, string] => isHeaderValue(entry[1])
const isHeaderValue = (value: unknown) =>
  typeof value === 'string' && value.length < 8_000 && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)
