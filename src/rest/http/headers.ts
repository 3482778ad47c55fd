import type { CountedCredential } from '../../domain/core/request-record.ts'

export type Headers = Record<string, string>

const exposed = [
  'Link',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
  'WWW-Authenticate',
].join(', ')

/** Any website may call these with a token of its own; none may make a browser send a cookie. */
const isOpenToBrowsers = (path: string) => path.startsWith('/v1/') || /^\/oauth\/(token|revoke)\/?$/.test(path)

/** What every answer carries, whoever writes it: REST, pages, errors. */
export function commonHeaders(requestId: string, publicUrl: string): Headers {
  const headers: Headers = { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' }
  if (publicUrl.startsWith('https:')) headers['Strict-Transport-Security'] = 'max-age=31536000; includeSubDomains'
  return headers
}

const openToBrowsers: Headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed }
const ofResources: Headers = { ...openToBrowsers, 'Cache-Control': 'private, no-cache' }
const ofTokens: Headers = { ...openToBrowsers, 'Cache-Control': 'no-store' }
const ofSecrets: Headers = { 'Cache-Control': 'no-store' }
/** For everything that somebody may be led to open in a browser: it runs no script and cannot be framed. */
const ofTheRest: Headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
}

/** The headers of a path, also where there is no operation: a script in a browser must be able to read our 404. */
export function headersOfPath(path: string): Readonly<Headers> {
  if (path.startsWith('/v1/')) return ofResources
  if (isOpenToBrowsers(path)) return ofTokens
  return path.startsWith('/oauth/') || path.startsWith('/cron/') ? ofSecrets : ofTheRest
}

/** The answer to a browser that asks before it sends (Fetch standard, CORS preflight). */
export const preflightHeaders: Headers = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, DPoP, Idempotency-Key, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '86400',
}

export const isPreflight = (path: string, requestedMethod: unknown) =>
  requestedMethod !== undefined && isOpenToBrowsers(path)

/** Where a credential stands in its rate limit (IETF draft ratelimit-headers): counts and seconds. */
export function headersOfRate({ limit, remaining, resetS }: CountedCredential['rate'], windowS: number): Headers {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
    'RateLimit-Policy': `${limit};w=${windowS}`,
  }
}
