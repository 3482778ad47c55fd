import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { commonHeaders } from './headers.ts'

type Refusal = { status: string; code: string; message: string }

const reasons: Record<string, Refusal | undefined> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'invalid_request',
    message: 'The head of the request is too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'invalid_request',
    message: 'The request did not arrive in time.',
  },
}
const malformed: Refusal = {
  status: '400 Bad Request',
  code: 'invalid_request',
  message: 'This is not a well-formed HTTP request.',
}

/** The last request of a connection that came in chunks: nothing else can be broken behind its head. */
const chunked = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>()

/** To be told of each request, whose chunks may yet be broken when it is answered already. */
export function noteChunks(request: IncomingMessage, response: ServerResponse) {
  if (request.headers['transfer-encoding'] !== undefined) chunked.set(request.socket, { request, response })
}

/** A second answer to one request would be taken for that to the next one. */
function isAnswered(socket: Duplex): boolean {
  const last = chunked.get(socket)
  return last !== undefined && !last.request.complete && last.response.headersSent
}

/** Node could not read the request, so there is no response object: the envelope is written to the socket. */
export function refuseBrokenHttp({ code }: NodeJS.ErrnoException, socket: Duplex, publicUrl: string) {
  if (code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  if (isAnswered(socket)) return socket.end(() => socket.destroy())
  const { status, ...error } = reasons[code ?? ''] ?? malformed
  const body = JSON.stringify({ error })
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    ...commonHeaders(randomUUID(), publicUrl),
  }
  const head = [`HTTP/1.1 ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  return socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
