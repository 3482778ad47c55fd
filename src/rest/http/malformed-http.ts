import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Connection, connectionOf, type Exchange } from './connection.ts'
import { commonHeaders, headersOfPath } from './headers.ts'
import { NO_OPERATION, type RequestRecord } from './request-record.ts'

type Refusal = { status: number; phrase: string; message: string }

const refusals: Record<string, Refusal | undefined> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    phrase: 'Request Header Fields Too Large',
    message: 'The head of the request is too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    phrase: 'Request Timeout',
    message: 'The request did not arrive in time.',
  },
}
const malformed: Refusal = { status: 400, phrase: 'Bad Request', message: 'This is not a well-formed HTTP request.' }

/** In the middle of a request this is a client who leaves, even if there is somebody left to read our answer. */
const CONNECTION_ENDED = 'HPE_INVALID_EOF_STATE'

/**
 * Node could not read the request, so there is no response object: the envelope is written to the socket. Where it stands in
 * place of the answer to a request, the record of that request says so; otherwise a record of its own is returned.
 */
export function refuseMalformed(
  { code = 'unknown' }: NodeJS.ErrnoException,
  socket: Duplex,
  publicUrl: string,
): RequestRecord | undefined {
  const connection = connectionOf(socket)
  if (code === 'ECONNRESET' || !socket.writable || isUnasked(code, socket)) {
    socket.destroy()
    return undefined
  }
  if (isAnswered(connection.chunked)) {
    socket.end(() => socket.destroy())
    return undefined
  }
  const refusal = refusals[code] ?? malformed
  const requestId = randomUUID()
  socket.end(responseOf(refusal, requestId, publicUrl))
  return note(connection, { reason: code, status: refusal.status }, { requestId, socket })
}

/**
 * Whether nothing has come on a connection, as on those that clients and browsers open ahead of time. What is said there unasked
 * would be taken for the answer to the request that is just being sent.
 */
const isUnasked = (code: string, socket: Duplex) =>
  code === 'ERR_HTTP_REQUEST_TIMEOUT' && (socket as Socket).bytesRead === 0

/**
 * A second answer to one request would be taken for that to the next one. Of a request that is answered only its chunks can
 * still be malformed.
 */
function isAnswered(chunked: Exchange | undefined): boolean {
  return chunked !== undefined && !chunked.request.complete && chunked.response.headersSent
}

function responseOf({ status, phrase, message }: Refusal, requestId: string, publicUrl: string): string {
  const body = JSON.stringify({ error: { code: 'invalid_request', message } })
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    ...commonHeaders(requestId, publicUrl),
    ...headersOfPath(''),
  }
  const head = [`HTTP/1.1 ${status} ${phrase}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

function note(
  { record }: Connection,
  malformed: NonNullable<RequestRecord['malformed']>,
  { requestId, socket }: { requestId: string; socket: Duplex },
): RequestRecord | undefined {
  if (!record) return recordOfNone(requestId, socket as Socket, malformed)
  if (malformed.reason !== CONNECTION_ENDED) record.malformed ??= malformed
  return undefined
}

function recordOfNone(
  id: string,
  { remoteAddress = '' }: Socket,
  malformed: RequestRecord['malformed'],
): RequestRecord {
  return {
    id,
    address: remoteAddress,
    method: '',
    url: '',
    page: undefined,
    isStream: false,
    begunMs: performance.now(),
    operation: NO_OPERATION,
    trace: undefined,
    malformed,
  }
}
