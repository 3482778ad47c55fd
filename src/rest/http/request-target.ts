import querystring from 'node:querystring'
import { Problem } from '../../domain/core/problem.ts'

/** Where a request goes. `query` has no prototype, so `constructor` is a name like any other. */
export type RequestTarget = { path: string; search: string; query: Record<string, unknown> }

const noQuery: Record<string, unknown> = Object.freeze(Object.create(null))

/** The target of a request before it has been parsed. */
export const unknownTarget: RequestTarget = { path: '', search: '', query: noQuery }

/** The path of a target that nobody has checked. */
export const rawPathOf = (url: string): string => url.replace(/[?#].*$/s, '')

/** The query of a target that nobody has checked, with its question mark. */
export const searchOf = (url: string): string => /\?.*/s.exec(url)?.[0] ?? ''

const absoluteForm = /^https?:\/\/([^/?#]+)(.*)$/is

/**
 * A target in absolute form as path and query (RFC 9112, section 3.2.2), if it names the host that `Host` names; another one
 * as it came, for we are no proxy.
 */
export function inOriginForm(url: string, host: string | undefined): string {
  if (url.startsWith('/')) return url
  const [, authority = '', rest = ''] = absoluteForm.exec(url) ?? []
  if (authority === '' || authority.toLowerCase() !== host?.toLowerCase()) return url
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Splits the target of a request. Anything but a path is refused (RFC 9112, section 3.2.3 f.). */
export function parseRequestTarget(url: string): RequestTarget {
  if (!url.startsWith('/')) throw new Problem('invalid_request', 'The request target must be a path.')
  const at = url.indexOf('?')
  const rawPath = at === -1 ? url : url.slice(0, at)
  const search = at === -1 ? '' : url.slice(at)
  return { path: pathOf(rawPath), search, query: search.length > 1 ? querystring.parse(search.slice(1)) : noQuery }
}

/** Refuses a path that changes when its dots and slashes are resolved: a proxy before us may have judged it unresolved. */
function pathOf(raw: string): string {
  if (/^[\w\-/]*$/.test(raw) || new URL(`http://localhost${raw}`).pathname === raw) return raw
  throw new Problem('not_found', 'There is nothing at this path.')
}
