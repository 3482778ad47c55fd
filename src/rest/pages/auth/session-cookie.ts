import type { IncomingMessage } from 'node:http'
import { readCookie } from './cookies.ts'

/**
 * The session of a call to /trpc, if the cookie may count: not from another site's page, and a mutation only as JSON, for
 * which a foreign page would need a preflight that we never grant.
 */
export function sessionOf(request: IncomingMessage, publicUrl: string): string | undefined {
  return isFromOurPages(request, publicUrl) ? readCookie(request, 'sid', publicUrl) : undefined
}

function isFromOurPages({ method, headers }: IncomingMessage, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site = 'none', 'content-type': type = '' } = headers
  if (origin !== undefined && origin !== new URL(publicUrl).origin) return false
  if (site !== 'same-origin' && site !== 'none') return false
  return method === 'GET' || /^application\/json\b/i.test(type)
}
