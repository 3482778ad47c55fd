import type { IncomingMessage } from 'node:http'
import { Problem } from '../../domain/core/problem.ts'
import type { Form } from '../openapi/routes.ts'
import { readBytes } from './read-bytes.ts'

type Fields = Record<string, unknown>
type Body = { bytes: Buffer; type: string; form: Form }
type Parse = (body: Body) => Fields | Promise<Fields>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON, urlencoded or multipart body into one object. An absent body is an empty object. Throws
 * `unsupported_media_type`, `payload_too_large`, `invalid_request`.
 */
export async function readBody(request: IncomingMessage, form: Form): Promise<Fields> {
  const type = request.headers['content-type'] ?? ''
  const parse = isAbsent(request) ? noFields : parserOf(request, type)
  const bytes = await readBytes(request, form.bytesMax)
  try {
    return await parse({ bytes, type, form })
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    throw new Problem('invalid_request', 'body: is not what its Content-Type says.', { cause })
  }
}

const noFields: Parse = () => ({})

const fromJson: Parse = ({ bytes }) => {
  const json = utf8.decode(bytes)
  const fields = asFields(JSON.parse(json))
  if (json.includes('\\u0000')) refuseNul(fields) // an unescaped NUL is no JSON
  return fields
}

const fromUrlencoded: Parse = ({ bytes, form }) => fromForm(new URLSearchParams(utf8.decode(bytes)), form)

const fromMultipart: Parse = async ({ bytes, type, form }) => {
  utf8.decode(bytes) // the parser would replace what is not UTF-8 by U+FFFD
  return fromForm(await new Response(bytes, { headers: { 'content-type': type } }).formData(), form)
}

const parsers = new Map([
  ['application/json', fromJson],
  ['application/x-www-form-urlencoded', fromUrlencoded],
  ['multipart/form-data', fromMultipart],
])

function parserOf({ headers }: IncomingMessage, type: string): Parse {
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity'
  const parse = isPlain ? (parsers.get(type) ?? parsers.get(essenceOf(type))) : undefined
  if (parse) return parse
  throw new Problem(
    'unsupported_media_type',
    'Send application/json, application/x-www-form-urlencoded or multipart/form-data, uncompressed.',
  )
}

/** A type without its parameters. */
const essenceOf = (type: string) => type.toLowerCase().replace(/;.*/s, '').trim()

const isAbsent = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0 && !headers['content-type']

function asFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('invalid_request', 'body: must be a JSON object.')
  }
  if (isDeeperThan(DEPTH_MAX, value)) throw new Problem('invalid_request', 'body: is nested too deeply.')
  return value as Fields
}

/** No operation takes more than a list. The limit protects the recursive functions that walk through a body. */
const DEPTH_MAX = 16

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}

/** Forms know strings only; the schema says which names are lists (`a=1&a=2`, `a[]=1`) and which may be null (`a=`). */
function fromForm(entries: URLSearchParams | FormData, { lists, nullables }: Form): Fields {
  const given = new Map<string, unknown>()
  entries.forEach((value: unknown, rawName: string) => {
    const name = rawName.endsWith('[]') ? rawName.slice(0, -2) : rawName
    const before = given.get(name)
    if (Array.isArray(before)) before.push(value)
    else if (before !== undefined) throw new Problem('invalid_request', `${shown(name)}: is given twice.`)
    else given.set(name, lists.has(name) ? [value] : only(name, value, nullables))
  })
  return Object.fromEntries(given)
}

/** Throws for a NUL in any field, also in one that the operation does not know, and names the field. */
function refuseNul(fields: Fields) {
  for (const [name, value] of Object.entries(fields)) {
    if (holdsNul(name) || holdsNul(value)) throw nulIn(name)
  }
}

function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  return typeof value === 'object' && value !== null && Object.entries(value).flat().some(holdsNul)
}

const nulIn = (name: string) => new Problem('invalid_request', `${shown(name)}: must not contain NUL.`)

/** A field name as messages show it, bounded, because a header repeats the message. */
const shown = (name: string) => name.replaceAll('\0', '').slice(0, 100)

function only(name: string, value: unknown, nullables: Form['nullables']): unknown {
  if (holdsNul(name) || holdsNul(value)) throw nulIn(name)
  return value === '' && nullables.has(name) ? null : value
}
