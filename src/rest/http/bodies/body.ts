import type { IncomingMessage } from 'node:http'
import { Problem } from '../../../domain/core/problem.ts'
import type { Form } from '../../openapi/routes.ts'
import type { Place } from '../load-limit.ts'
import { refuseCoded } from './content-coding.ts'
import { FIELDS_MAX, fieldsOfForm, refuseNul, tooManyFields, urlencodedPairs } from './form.ts'
import { multipartEntries } from './multipart.ts'
import { readBytes } from './read-bytes.ts'

type Fields = Record<string, unknown>
type Body = { bytes: Buffer; type: string; form: Form }
type Parse = (body: Body) => Fields

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON, urlencoded or multipart body into one object, while the place of its request is others'. An absent body is
 * an empty object. Throws `unsupported_media_type`, `payload_too_large`, `invalid_request`, `unavailable`.
 */
export async function readBody(request: IncomingMessage, form: Form, place: Place | undefined): Promise<Fields> {
  const type = request.headers['content-type'] ?? ''
  const parse = isAbsent(request) ? noFields : parserOf(request, type)
  const bytes = await readBytes(request, form.bytesMax, place)
  try {
    return parse({ bytes, type, form })
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    throw new Problem('invalid_request', 'body: is not what its Content-Type says.', { cause })
  }
}

const noFields: Parse = () => ({})

/** An unescaped NUL is no JSON. Of one beside a wrong type the schema is left to speak. */
const fromJson: Parse = ({ bytes, form }) => {
  const json = utf8.decode(bytes)
  const fields = asFields(JSON.parse(json))
  if (json.includes('\\u0000') && hasTypes(fields, form)) refuseNul(fields)
  return fields
}

/** Whether what is taken has the types of the schema: texts and lists of texts, for others no form could send. */
const hasTypes = (fields: Fields, { names, lists, nullables }: Form) =>
  [...names].every((name) => {
    const value = fields[name]
    if (value === undefined || value === null) return value === undefined || nullables.has(name)
    return lists.has(name) ? Array.isArray(value) && value.every(isText) : isText(value)
  })

const isText = (value: unknown) => typeof value === 'string'

const fromUrlencoded: Parse = ({ bytes, form }) => fieldsOfForm(urlencodedPairs(utf8.decode(bytes)), form)

const fromMultipart: Parse = ({ bytes, type, form }) =>
  fieldsOfForm(multipartEntries(utf8.decode(bytes), type, form.names), form)

const parsers = new Map([
  ['application/json', fromJson],
  ['application/x-www-form-urlencoded', fromUrlencoded],
  ['multipart/form-data', fromMultipart],
])

function parserOf(request: IncomingMessage, type: string): Parse {
  refuseCoded(request)
  const parse = parsers.get(type) ?? parsers.get(essenceOf(type))
  if (parse) return parse
  const types = [...parsers.keys()]
  const words = `Content-Type: must be ${types.slice(0, -1).join(', ')} or ${types.at(-1)}.`
  throw new Problem('unsupported_media_type', words, { accept: types.join(', ') })
}

/** A type without its parameters. */
const essenceOf = (type: string) => type.toLowerCase().replace(/;.*/s, '').trim()

const isAbsent = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0 && !headers['content-type']

function asFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('invalid_request', 'body: must be a JSON object.')
  }
  if (Object.keys(value).length > FIELDS_MAX) throw tooManyFields()
  if (isDeeperThan(DEPTH_MAX, value)) throw new Problem('invalid_request', 'body: is nested too deeply.')
  return value as Fields
}

/** No operation takes more than a list. The limit protects the recursive functions that walk through a body. */
const DEPTH_MAX = 16

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Object.values(value)) if (isDeeperThan(levels - 1, inner)) return true
  return false
}
