import { randomUUID } from 'node:crypto'
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

/** Node could not read the request, so there is no response object: the envelope is written to the socket. */
export function refuseBrokenHttp({ code }: NodeJS.ErrnoException, socket: Duplex, publicUrl: string) {
  if (code === 'ECONNRESET' || !socket.writable) return socket.destroy()
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
