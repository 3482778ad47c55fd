import type { IncomingMessage } from 'node:http'

/** `__Host-` binds the cookie to this host, path `/` and https (RFC 6265bis, section 4.1.3.2); plain http has no such name. */
export const sessionCookieName = (publicUrl: string) => (publicUrl.startsWith('https:') ? '__Host-sid' : 'sid')

/** The secret in the session's cookie, as it came. Whoever acts on it has checked the origin. */
export function sessionCookie({ headers }: IncomingMessage, publicUrl: string): string | undefined {
  const name = `${sessionCookieName(publicUrl)}=`
  const pair = headers.cookie?.split(/; */).find((one) => one.startsWith(name))
  return pair?.slice(name.length) || undefined
}

/**
 * The session of a call to /trpc, if the cookie may count: not from another site's page, and a mutation only as JSON, for
 * which a foreign page would need a preflight that we never grant.
 */
export function sessionOf(request: IncomingMessage, publicUrl: string): string | undefined {
  return isFromOurPages(request, publicUrl) ? sessionCookie(request, publicUrl) : undefined
}

function isFromOurPages({ method, headers }: IncomingMessage, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site = 'none', 'content-type': type = '' } = headers
  if (origin !== undefined && origin !== new URL(publicUrl).origin) return false
  if (site !== 'same-origin' && site !== 'none') return false
  return method === 'GET' || /^application\/json\b/i.test(type)
}
