import { Problem } from '../../domain/core/problem.ts'
import { secretParameters } from '../../domain/oauth/grants-table.ts'
import type { RestRoute } from '../openapi/routes.ts'
import { isPercentEncodedUtf8 } from './bodies/percent-encoding.ts'
import { refuseForeign } from './foreign-names.ts'
import type { RequestTarget } from './request-target.ts'

type Query = RequestTarget['query']

/**
 * What an operation takes from the query; nothing where it has a body. A query from which nothing can be taken is no input, and is not
 * looked at: who adds something to it is answered as ever. Throws `invalid_request` for NUL, for what is not
 * percent-encoded UTF-8, for an empty parameter, which would otherwise count as none, for a field of the body, and for a name
 * that only looks like a parameter.
 */
export function queryOf({ search, query }: RequestTarget, route: RestRoute): Query {
  if (search === '' || !route.takesInput) return query
  requireTextIn(search)
  if (route.form) refuseMisplaced(route, query)
  else requireValues(route, query)
  refuseForeign(route, query)
  return route.form ? {} : query
}

/** Throws `invalid_request` for NUL in a query, and for what is not percent-encoded UTF-8. */
export function requireTextIn(search: string): void {
  if (search.includes('%00')) throw new Problem('invalid_request', 'query: must not contain NUL.')
  if (/[^\x21-\x7e]/.test(search) || !isPercentEncodedUtf8(search)) {
    throw new Problem('invalid_request', 'query: must be percent-encoded UTF-8.')
  }
}

/**
 * A secret does not belong in an address, where logs would keep it: a field of the body is refused there, and at an OAuth
 * endpoint so is a secret of another one.
 */
function refuseMisplaced({ operation: { path }, fields }: RestRoute, query: Query): void {
  const names = path.startsWith('/oauth/') ? [...fields, ...secretParameters] : fields
  const misplaced = names.find((name) => name in query)
  if (misplaced) throw new Problem('invalid_request', `${misplaced}: belongs in the body, not in the address.`)
}

/** Numbers are checked as they were written: ` 5`, `0x5` and `5e0` are refused too. */
function requireValues({ fields, numbers }: RestRoute, query: Query): void {
  const wrong = numbers.find((name) => typeof query[name] === 'string' && !/^-?\d{1,15}$/.test(query[name]))
  if (wrong) throw new Problem('invalid_request', `${wrong}: must be a whole number.`)
  const empty = fields.find((name) => query[name] === '')
  if (empty) throw new Problem('invalid_request', `${empty}: must not be empty.`)
}
