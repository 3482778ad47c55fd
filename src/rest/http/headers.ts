import { isOpenPage, pageRootOf } from '../pages/table.ts'

export type Headers = Record<string, string>

const exposed = [
  'Link',
  'ETag',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
  'WWW-Authenticate',
].join(', ')

/** What every answer carries, whoever writes it: REST, pages, errors. */
export function commonHeaders(requestId: string, publicUrl: string): Headers {
  const headers: Headers = { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' }
  if (publicUrl.startsWith('https:')) headers['Strict-Transport-Security'] = 'max-age=31536000; includeSubDomains'
  return headers
}

/** Any website may read the answer, and send a credential of its own; none may make a browser send a cookie. */
export const openToBrowsers: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed,
}
const ofResources: Headers = { ...openToBrowsers, 'Cache-Control': 'private, no-cache' }
/** The feed: each answer is for one moment, and its address may hold a key. */
const ofFeed: Headers = { ...openToBrowsers, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
const ofTokens: Headers = { ...openToBrowsers, 'Cache-Control': 'no-store' }
const ofSecrets: Headers = { 'Cache-Control': 'no-store' }
/** For everything that somebody may be led to open in a browser: it runs no script and cannot be framed. */
const ofPages: Headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
}
const ofTheRest: Headers = { ...openToBrowsers, ...ofPages }

/** The headers of a path, also where nothing is. Without a path: those of an answer to what could not be read. */
export function headersOfPath(path: string): Readonly<Headers> {
  if (path === '/v1/events' || path === '/v1/events/') return ofFeed
  if (path.startsWith('/v1/')) return ofResources
  if (isOfCron(path)) return ofSecrets
  const page = pageRootOf(path)
  if (page !== undefined) return isOpenPage(page) ? ofTheRest : ofPages
  return path.startsWith('/oauth/') ? ofTokens : ofTheRest
}

/**
 * Everything but the pages that people use and the paths of the cron job; also where nothing is, because a script in a browser
 * must be able to read our 404.
 */
function isOpenToBrowsers(path: string): boolean {
  const page = pageRootOf(path)
  return page === undefined ? !isOfCron(path) : isOpenPage(page)
}

const isOfCron = (path: string) => path.startsWith('/cron/')

/** The answer to a browser that asks before it sends (Fetch standard, CORS preflight). */
export const preflightHeaders: Headers = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, DPoP, Idempotency-Key, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, traceparent, tracestate, X-Request-Id',
  'Access-Control-Max-Age': '86400',
}

export const isPreflight = (path: string, requestedMethod: unknown) =>
  requestedMethod !== undefined && isOpenToBrowsers(path)
