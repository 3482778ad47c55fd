import { Problem } from '../core/problem.ts'
import { parseUrl } from '../core/url.ts'

const LENGTH_MAX = 2048
const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost']
/** Parameters that we add to the address; registered ones must not have them, or they would occur twice. */
const OURS = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/**
 * Throws `invalid_request` for an address that no application may register. Allowed are https, http on a loopback host,
 * and the private-use schemes of native applications, which are reversed domain names (RFC 8252, section 7.1).
 */
export function requireRedirectUri(uri: string): void {
  const fault = redirectUriProblem(uri)
  if (fault) throw new Problem('invalid_request', `redirect_uris: "${uri.slice(0, 100)}" ${fault}.`)
}

/** What is wrong with an address to be registered, in words behind it. */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > LENGTH_MAX || !/^[\x21-\x7e]+$/.test(uri) || /["<>\\^`{|}]/.test(uri)) return 'is not a URI'
  const url = parseUrl(uri)
  if (!url) return 'is not an absolute URI'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard'
  if (url.username !== '' || url.password !== '' || url.host.includes('@')) return 'must not have a user or password'
  if (!isAllowedScheme(url)) return 'must be https, http on a loopback host, or a private-use scheme with a dot'
  if (OURS.some((name) => url.searchParams.has(name))) return `must not have a parameter of ${OURS.join(', ')}`
  return undefined
}

/** Whether an address leads to a program on the user's own computer. */
export const isLoopback = (uri: string): boolean => LOOPBACK_HOSTS.includes(new URL(uri).hostname)

function isAllowedScheme({ protocol, href }: URL): boolean {
  if (protocol === 'https:') return true
  if (protocol === 'http:') return isLoopback(href)
  return protocol.includes('.')
}

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?((?:[/?][^#]*)?)$/
const PORT_MAX = 65_535

type Registration = { isConfidential: boolean; redirectUris: readonly string[] }

/**
 * The address to redirect to: one that equals a registered one letter for letter, or, for a public client, a registered
 * loopback address with any port (RFC 8252, section 7.3). If the request names none, the only registered one. Otherwise
 * undefined.
 */
export function matchRedirectUri({ isConfidential, redirectUris }: Registration, uri: string | undefined) {
  if (uri === undefined) return redirectUris.length === 1 ? redirectUris[0] : undefined
  if (redirectUris.includes(uri)) return uri
  const isNative = !isConfidential && redirectUris.some((registered) => differsByPort(registered, uri))
  return isNative ? uri : undefined
}

/** Why `matchRedirectUri` found nothing, for whoever wrote the request: what was received, and what is easily overlooked. */
export function redirectUriFault({ isConfidential, redirectUris }: Registration, uri: string | undefined): string {
  if (redirectUris.length === 0) return 'redirect_uri: this application has registered none.'
  if (uri === undefined) return 'redirect_uri: is required, for this application has registered several.'
  const shown = uri.slice(0, SHOWN_MAX).replace(/[^\x20-\x7e]/g, '?')
  const port = isConfidential ? ', and the port counts, too' : ''
  const hint = LOOPBACK.test(uri) ? ` 127.0.0.1, [::1] and localhost are different addresses${port}.` : ''
  return `redirect_uri: ${shown} is not registered for this application, letter for letter.${hint}`
}

const SHOWN_MAX = 200

function differsByPort(registered: string, uri: string): boolean {
  const [, host, , rest] = LOOPBACK.exec(registered) ?? []
  const [, givenHost, givenPort = '0', givenRest] = LOOPBACK.exec(uri) ?? []
  return host !== undefined && host === givenHost && rest === givenRest && Number(givenPort) <= PORT_MAX
}

/** The address with parameters added to its query, which is otherwise unchanged. Undefined parameters are left out. */
export function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return uri + separator + new URLSearchParams(given).toString().replaceAll('+', '%20') // not every client reads + as a space
}
