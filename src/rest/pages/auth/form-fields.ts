import type { Request, RequestHandler } from 'express'
import { Problem } from '../../../domain/core/problem.ts'
import { urlencodedEntries } from '../../http/bodies/form.ts'
import type { ReadText } from '../read-text.ts'

/** Reads a form, where one was sent. */
export const readForm =
  (readText: ReadText): RequestHandler =>
  async (request, _response, next) => {
    if (request.method === 'POST') request.body = urlencodedEntries(await textOf(request, readText))
    next()
  }

const FORM = 'application/x-www-form-urlencoded'

/** Throws `unsupported_media_type` for what our pages never send. */
function textOf(request: Request, readText: ReadText): Promise<string> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() === FORM) return readText(request)
  throw new Problem('unsupported_media_type', `Content-Type: must be ${FORM}.`, { accept: FORM })
}

/** A field of the form as it came; empty when it is missing, came twice, or holds a NUL. */
export function formField(request: Request, name: string): string {
  const fields: unknown = request.body
  const [value = '', ...others] = fields instanceof URLSearchParams ? fields.getAll(name) : []
  return others.length > 0 || value.includes('\0') ? '' : value
}

/** The `token` of a link; empty when it is missing or repeated. */
export const tokenOfQuery = ({ query: { token } }: Request): string => (typeof token === 'string' ? token : '')

/** The `next` of the query; empty when it is missing or repeated. */
export const nextOf = ({ query: { next } }: Request): string => (typeof next === 'string' ? next : '')
