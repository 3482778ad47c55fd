import { parse as parseDisposition } from 'content-disposition'
import { parse as parseType } from 'content-type'
import { Problem } from '../../../domain/core/problem.ts'
import { type FormEntry, shownName } from './form.ts'

/**
 * The fields of a multipart form (RFC 7578), in their order. Throws `invalid_request` for a form that is cut off, a part without a
 * name, and a file in one of the fields that are `taken`: others are ignored, whatever they are.
 */
export function multipartEntries(body: string, contentType: string, taken: ReadonlySet<string>): FormEntry[] {
  const { boundary } = parseType(contentType).parameters
  if (!boundary) throw new Problem('invalid_request', 'Content-Type: lacks the boundary of the parts.')
  const parts = [...partsIn(body, boundary)].map(readPart) // all of them, before one is refused for its type
  return parts.filter(({ name, isFile }) => isTaken(name, isFile, taken)).map(({ name, value }) => [name, value])
}

/**
 * A delimiter is a whole line, padded or not, so that a text may hold the boundary (RFC 2046, section 5.1.1). What stands before
 * the first one and behind the last one is no part.
 */
function* partsIn(body: string, boundary: string): Generator<string> {
  const delimiter = new RegExp(`(?:^|\\r\\n)--${boundary.replace(/\W/g, '\\$&')}(--)?[ \\t]*(?:\\r\\n|$)`, 'g')
  let start: number | undefined
  for (const { 0: line, 1: isLast, index } of body.matchAll(delimiter)) {
    if (start !== undefined) yield body.slice(start, index)
    if (isLast) return
    start = index + line.length
  }
  throw new Problem('invalid_request', 'body: is cut off, or its boundary is not the one of Content-Type.')
}

const DISPOSITION = /^content-disposition[ \t]*:(.*)$/im
const FOLD = /\r\n[ \t]+/g

/** A part whose header ends with the part has an empty text. The charset is UTF-8, whatever the part says (RFC 7578, section 5.1). */
function readPart(part: string) {
  const end = part.indexOf('\r\n\r\n')
  const header = (end === -1 ? part : part.slice(0, end)).replace(FOLD, ' ')
  const { type, parameters } = parseDisposition(DISPOSITION.exec(header)?.[1] ?? '', {
    multipart: true,
    extended: false,
  })
  const { name, filename } = parameters
  if (type !== 'form-data' || !name) throw new Problem('invalid_request', 'body: has a part without a name.')
  return { name, isFile: filename !== undefined, value: end === -1 ? '' : part.slice(end + 4) }
}

function isTaken(name: string, isFile: boolean, taken: ReadonlySet<string>): boolean {
  if (!isFile) return true
  if (!taken.has(name.replace(/\[\]$/, ''))) return false
  throw new Problem('invalid_request', `${shownName(name)}: is a file, and not a text.`)
}
