import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Caller, DpopProof } from '../domain/context.ts'

const WELL_FORMED_ID = /^[\w.:=+/-]{1,128}$/

/** What a request says of its sender. Believed of proxies are as many hops, from the last one on, as `trustProxy` says. */
export function callerOf(request: IncomingMessage, trustProxy: number): Caller {
  const { headers, socket } = request
  const forwardedFor = headers['x-forwarded-for']
  return {
    authorization: headers.authorization,
    session: undefined,
    address: (trustProxy > 0 && hopOf(String(forwardedFor ?? ''), trustProxy)) || (socket.remoteAddress ?? ''),
    isForwarded: forwardedFor !== undefined || headers.forwarded !== undefined || headers['x-real-ip'] !== undefined,
    requestId: requestIdOf(headers['x-request-id']),
    userAgent: headers['user-agent'],
    ...(headers.dpop !== undefined && { dpop: proofOf(request, String(headers.dpop)) }),
  }
}

/** A proof names the address without its query. */
function proofOf({ method = '', url = '' }: IncomingMessage, jwt: string): DpopProof {
  return { jwt, method, path: url.replace(/[?#].*$/s, '') }
}

/** The identifier of a request, ours unless a well-formed one came with it. */
function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && WELL_FORMED_ID.test(given) ? given : randomUUID()
}

/** The address that the outermost trusted proxy saw: each proxy appends the one it was called from. */
const hopOf = (forwardedFor: string, hops: number) => forwardedFor.split(',').at(-hops)?.trim()
