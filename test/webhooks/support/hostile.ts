import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { gzipSync } from 'node:zlib'

/** What a server does when a whole request has arrived on a socket. `nth` counts the requests of the connection. */
export type Behaviour = (socket: Socket, nth: number) => unknown

export const head = (status: string, ...lines: string[]) =>
  `HTTP/1.1 ${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`

export const answers =
  (status: string, ...lines: string[]): Behaviour =>
  (socket) =>
    socket.write(head(status, 'content-length: 0', ...lines))

export const writes =
  (...parts: (string | Buffer)[]): Behaviour =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

/** Writes again and again, as soon as the socket takes more. */
export const floods =
  (first: string, chunk: string | Buffer): Behaviour =>
  (socket) => {
    socket.write(first)
    const more = () => {
      while (socket.writable && socket.write(chunk));
    }
    socket.on('drain', more)
    more()
  }

/** Writes a little every 20 ms, so that it is never idle. */
export const drips =
  (first: string, drop: string): Behaviour =>
  (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.writable && socket.write(drop), 20)
    socket.on('close', () => clearInterval(timer))
  }

export function gzipBomb(): Behaviour {
  const bytes = gzipSync(Buffer.alloc(50_000_000))
  return writes(head('200 OK', 'content-encoding: gzip', `content-length: ${bytes.length}`), bytes)
}

/** `greet`: written to every connection before its first request. */
export type Serving = { host?: string; tls?: TlsOptions; greet?: string }

/** A server over raw TCP or TLS that behaves as given. 127.0.0.2 stands for the public network. */
export async function startHostile(behave: Behaviour, { host = '127.0.0.2', tls, greet }: Serving = {}) {
  const sockets = new Set<Socket>()
  const hostile = { port: 0, requests: [] as string[], connections: 0 }
  const onSocket = (socket: Socket) => {
    hostile.connections++
    sockets.add(socket)
    if (greet) socket.write(greet)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    readRequests(socket, (request, nth) => {
      hostile.requests.push(request)
      behave(socket, nth)
    })
  }
  const server = tls ? createTlsServer(tls, onSocket).on('tlsClientError', () => {}) : createServer(onSocket)
  await once(server.listen(0, host), 'listening')
  hostile.port = (server.address() as AddressInfo).port
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return Object.assign(hostile, { [Symbol.asyncDispose]: close })
}

function readRequests(socket: Socket, onRequest: (request: string, nth: number) => void) {
  let seen = Buffer.alloc(0)
  let nth = 0
  socket.on('data', (chunk: Buffer) => {
    seen = Buffer.concat([seen, chunk])
    for (let size = sizeOf(seen); size !== undefined && seen.length >= size; size = sizeOf(seen)) {
      onRequest(seen.subarray(0, size).toString(), ++nth)
      seen = seen.subarray(size)
    }
  })
}

function sizeOf(seen: Buffer): number | undefined {
  const end = seen.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  return end + 4 + Number(/content-length: (\d+)/i.exec(seen.toString('latin1', 0, end))?.[1] ?? 0)
}
