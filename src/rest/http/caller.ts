import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Caller, DpopProof } from '../../domain/core/caller.ts'
import { isRequestId } from '../../domain/requests/request-id.ts'
import { rawPathOf } from './request-target.ts'

/** What a request says of its sender. Trusts the last `trustProxy` hops of `X-Forwarded-For`. */
export function callerOf(request: IncomingMessage, trustProxy: number): Caller {
  const { headers, socket } = request
  const forwardedFor = headers['x-forwarded-for']
  return {
    authorization: isRepeated(request, 'authorization') ? '' : headers.authorization,
    session: undefined,
    address: (trustProxy > 0 && hopOf(String(forwardedFor ?? ''), trustProxy)) || (socket.remoteAddress ?? ''),
    host: headers.host,
    isForwarded: isForwarded(headers),
    requestId: requestIdOf(headers['x-request-id']),
    userAgent: headers['user-agent'],
    ...(headers.dpop !== undefined && { dpop: proofOf(request, String(headers.dpop)) }),
  }
}

/** A DPoP proof is for a path without its query. */
function proofOf({ method = '', url = '' }: IncomingMessage, jwt: string): DpopProof {
  return { jwt, method, path: rawPathOf(url) }
}

/** Whether a header shows that a proxy was in between, or that a browser sent this for another website. */
const isForwarded = (headers: IncomingHttpHeaders) =>
  headers['sec-fetch-site'] === 'cross-site' ||
  Object.keys(headers).some((name) => /^(x-forwarded-|forwarded$|via$|x-real-ip$|cf-|true-client-ip$)/.test(name))

/** Whether a header that may come only once was repeated: Node silently keeps the first. */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at]
    if (raw?.length === name.length && raw.toLowerCase() === name) count++
  }
  return count > 1
}

/** The identifier of a request, ours unless a well-formed one came with it. */
function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && isRequestId(given) ? given : randomUUID()
}

/** The address that the outermost trusted proxy saw: each proxy appends the one it was called from. */
const hopOf = (forwardedFor: string, hops: number) => withoutPort(forwardedFor.split(',').at(-hops)?.trim() ?? '')

/** Some proxies write the caller's port, which is another one for each connection, behind the address. */
function withoutPort(entry: string): string {
  const [, inBrackets, plain] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(entry) ?? []
  return inBrackets ?? plain ?? entry
}
