import type { Admission } from '../domain/admission.ts'

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

/** What belongs to a path, also where nothing is: a browser must be able to read our 404. */
export function headersOfPath(path: string): Headers {
  const headers: Headers = {}
  if (isOpenToBrowsers(path)) {
    headers['Access-Control-Allow-Origin'] = '*'
    headers['Access-Control-Expose-Headers'] = exposed
  }
  if (path.startsWith('/oauth/') || path.startsWith('/cron/')) headers['Cache-Control'] = 'no-store'
  if (path.startsWith('/v1/')) headers['Cache-Control'] = 'private, no-cache'
  return headers
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
export function headersOfRate({ limit, remaining, resetS }: Admission['rate'], windowS: number): Headers {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
    'RateLimit-Policy': `${limit};w=${windowS}`,
  }
}
