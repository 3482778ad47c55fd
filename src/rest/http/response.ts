import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Problem } from '../../domain/core/problem.ts'
import { clientEndpoints } from '../../domain/oauth/client/client-endpoints.ts'
import type { Operation } from '../../routers/operation-meta.ts'
import { commonHeaders, type Headers, headersOfPath } from './headers.ts'
import type { Exceeded } from './rate-headers.ts'
import { type RequestTarget, unknownTarget } from './request-target.ts'
import { challengeOf } from './www-authenticate.ts'

/** What the headers of an answer depend on, beside the answer itself. */
export type ResponseContext = { path: string; requestId: string; publicUrl: string }
export type RestResponse = {
  status: number
  headers: Headers
  body?: string
  stream?: OpenedStream
  /** The limit that refused, beside that of the credential. */
  exceeded?: Exceeded
}
/** An answer that is the same for every request, with all of its headers but the identifier of the request. */
export type ConstantAnswer = { status: number; headers: Headers; body: string; encoding: 'latin1' | 'utf8' }
/** Writes to a response whose head is prepared; left when nobody is there to read it. */
type OpenedStream = { open(response: ServerResponse): void; leave(): void }

/** Puts the JSON of a procedure into its envelope: `{ data }`, with a `Link` if there is a next page, or nothing. */
export function success(
  { status, envelope }: Operation,
  json: string | undefined,
  next: string | null,
  target: RequestTarget,
): RestResponse {
  if (status === 204 || json === undefined) return { status, headers: {} }
  const headers: Headers = next === null ? {} : { Link: linkTo(next, target) }
  return { status, headers, body: envelope === 'none' ? json : `{"data":${json}}` }
}

const pathsOfClients: ReadonlySet<string> = new Set(Object.values(clientEndpoints))

/**
 * An error as this path shows it: in the envelope (docs/specification.md, section 7), or in the form of RFC 6749, section 5.2,
 * when the client asks for that.
 */
export function failure(
  problem: Problem,
  target: RequestTarget,
  publicUrl: string,
  path: string = target.path,
): RestResponse {
  const { status, code, message } = problem
  const headers = headersOfProblem(problem)
  const isTokenEndpoint = pathsOfClients.has(target.path.replace(/\/$/, ''))
  const isStandardForm = isTokenEndpoint && target.query.error_format === 'rfc6749'
  const challenge = challengeOf(problem, isTokenEndpoint, publicUrl, path)
  // in the standard's form only a 401 has one: a library that finds the header does not read the body
  if (challenge && (status === 401 || !isStandardForm)) headers['WWW-Authenticate'] = challenge
  const body = isStandardForm ? { error: code, error_description: message } : { error: { code, message } }
  const { exceeded, retryAfterS: resetS } = problem.details
  const refused = exceeded && resetS !== undefined ? { exceeded: { ...exceeded, resetS } } : {}
  return { status, headers, body: JSON.stringify(body), ...refused }
}

/** The headers of a refusal that say what would be taken, and when; whoever writes it. */
export function headersOfProblem({ status, details }: Problem): Headers {
  const { allow, accept, acceptEncoding, retryAfterS } = details
  return {
    ...(allow && { Allow: allow.join(', ') }),
    ...(accept && { Accept: accept }),
    ...(acceptEncoding && { 'Accept-Encoding': acceptEncoding }),
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    ...(status === 413 && { Connection: 'close' }),
  }
}

/**
 * Writes the answer, once, with the headers that every answer has. Nothing else in the service writes to the response of a
 * REST request.
 */
export function send(
  response: ServerResponse,
  { path, requestId, publicUrl }: ResponseContext,
  { status, headers: own, body, stream }: RestResponse,
  rate?: Headers,
) {
  if (response.headersSent || response.destroyed) return stream?.leave()
  const headers: Headers = Object.assign(commonHeaders(requestId, publicUrl), headersOfPath(path), own, rate)
  if (stream) return stream.open(response.writeHead(status, headers))
  if (body === undefined) {
    response.writeHead(status, headers).end()
    return
  }
  const isKept = headers['Cache-Control'] !== 'no-store'
  if (status === 200 && isKept && path.startsWith('/v1/') && isUnchanged(response.req, headers, body)) {
    response.writeHead(304, headers).end()
    return
  }
  const encoding = describeBody(headers, body)
  response.writeHead(status, headers).end(body, encoding)
}

/** Sets the headers of a body. ASCII is the same in Latin-1, which Node copies in place of converting it. */
function describeBody(headers: Headers, body: string): ConstantAnswer['encoding'] {
  const length = Buffer.byteLength(body)
  headers['Content-Type'] = 'application/json; charset=utf-8'
  headers['Content-Length'] = String(length)
  return length === body.length ? 'latin1' : 'utf8'
}

/** Makes an answer ready to be sent any number of times at its path, outside of `/v1`, whose answers have tags. */
export function constantAnswer(path: string, publicUrl: string, answer: RestResponse): ConstantAnswer {
  const { status, headers: own, body = '' } = answer
  const headers: Headers = { ...commonHeaders('', publicUrl), ...headersOfPath(path), ...own }
  const encoding = describeBody(headers, body)
  return { status, headers, body, encoding }
}

/** Sends it, in place of `send`. */
export function sendConstant(response: ServerResponse, requestId: string, answer: ConstantAnswer) {
  if (response.headersSent || response.destroyed) return
  const headers = { ...answer.headers, 'X-Request-Id': requestId }
  response.writeHead(answer.status, headers).end(answer.body, answer.encoding)
}

/** Refuses a request before its route is looked for, or at a page. */
export function sendProblem(response: ServerResponse, problem: Problem, place: ResponseContext) {
  send(response, place, failure(problem, unknownTarget, place.publicUrl, place.path))
}

/** Sets the weak `ETag` of a representation and compares it with those that the client has (RFC 9110, section 13.1.2). */
function isUnchanged({ headers: { 'if-none-match': known } }: IncomingMessage, headers: Headers, body: string) {
  const tag = `W/"${hash('sha1', body, 'base64url')}"`
  headers.ETag = tag
  if (known === undefined) return false
  const opaque = tag.slice(2)
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque)
}

/** Relative, so that its host is the one that the client asked, whatever proxies and headers say. */
export function linkTo(cursor: string, { path, search }: RequestTarget, parameter = 'cursor'): string {
  const query = new URLSearchParams(search)
  query.set(parameter, cursor)
  if (parameter === 'after') query.delete('since')
  return `<${path}?${query}>; rel="next"`
}
