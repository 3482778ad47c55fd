import { Problem } from '../../../domain/core/problem.ts'
import type { AuthorizationQuery } from '../../../domain/oauth/authorization-endpoint.ts'
import { urlencodedEntries } from '../../http/bodies/form.ts'

/** The parameters of an authorization request, and the names of those that came twice. Of those the first value is kept. */
export type ReadQuery = { query: AuthorizationQuery; twice: ReadonlySet<string> }

/** Reads a request's parameters; an empty one counts as omitted. Throws `invalid_request` for a NUL, and for what is not UTF-8. */
export function readQuery(url: string): ReadQuery {
  const [, search = ''] = url.split(/\?(.*)/s)
  const seen = new Map<string, string>()
  const twice = new Set<string>()
  for (const [name, value] of urlencodedEntries(search)) {
    if (name.includes('\0') || value.includes('\0')) {
      throw new Problem('invalid_request', 'A parameter holds a NUL character.')
    }
    if (seen.has(name)) twice.add(name)
    else seen.set(name, value)
  }
  const given = [...seen].filter(([, value]) => value !== '')
  return { query: Object.assign(Object.create(null), Object.fromEntries(given)), twice }
}
