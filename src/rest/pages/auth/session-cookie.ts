import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../../domain/core/caller.ts'
import { readCookie } from './cookies.ts'

/**
 * The session of a call to /trpc, if the cookie may count: not from another site's page, and a mutation only as JSON, for
 * which a foreign page would need a preflight that lets cookies through, and ours never does. Else why it does not count.
 */
export function sessionOf(request: IncomingMessage, publicUrl: string): Pick<Caller, 'session' | 'sessionRefusal'> {
  const session = readCookie(request, 'sid', publicUrl)
  const reason = session === undefined ? undefined : refusalOf(request, new URL(publicUrl).origin)
  if (reason === undefined) return { session }
  return { session: undefined, sessionRefusal: `The cookie of the login session does not count: ${reason}` }
}

function refusalOf({ method, headers }: IncomingMessage, own: string): string | undefined {
  const { origin, 'sec-fetch-site': site = 'none', 'content-type': type = '' } = headers
  const remedy = `this service is ${own} (PUBLIC_URL). Call it from there, or send a token.`
  if (origin !== undefined && origin !== own) return `the call comes from ${origin.slice(0, 100)}, and ${remedy}`
  if (site !== 'same-origin' && site !== 'none')
    return `the browser calls the request ${site.slice(0, 20)}, and ${remedy}`
  if (method === 'GET' || /^application\/json\b/i.test(type)) return undefined
  return 'a call that changes something must be JSON: send "Content-Type: application/json".'
}
