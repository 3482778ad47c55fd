import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { networkOf } from '../../domain/core/rate-limits.ts'
import type { Place } from './load-limit.ts'
import type { RequestRecord } from './request-record.ts'

export type Exchange = { request: IncomingMessage; response: ServerResponse }

/** What is in progress on a connection. */
export type Connection = {
  /** The request that arrived last, answered or not, if its body comes in chunks. */
  chunked: Exchange | undefined
  /** The record of the request that is being answered. */
  record: RequestRecord | undefined
  /** Its place among all requests, if it has one. */
  place: Place | undefined
  /** The response that is being prepared or sent. */
  answering: ServerResponse | undefined
  /** Requests that were sent ahead and wait for their turn. */
  waiting: Exchange[]
}

const connections = new WeakMap<Duplex, Connection>()

/** What is known of the connection of a socket. */
export function connectionOf(socket: Duplex): Connection {
  const known = connections.get(socket)
  if (known) return known
  const connection: Connection = {
    chunked: undefined,
    record: undefined,
    place: undefined,
    answering: undefined,
    waiting: [],
  }
  connections.set(socket, connection)
  return connection
}

const open = new WeakMap<Server, Set<Socket>>()

/** Beyond so many each new connection ends an idle one. Fewer than a server takes at most, which are not told apart. */
const CROWDED = 12_000

/**
 * Remembers the connections of a server while they are open. Called before it listens. When there are many, whoever has most of
 * them, by its address, loses the idle ones, the oldest first: so nobody keeps others out by holding all there are.
 */
export function followConnections(server: Server, crowded = CROWDED): void {
  const sockets = new Set<Socket>()
  const networks = new Map<string, Set<Socket>>()
  open.set(server, sockets)
  server.on('connection', (socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    const siblings = networks.get(network) ?? new Set()
    networks.set(network, siblings.add(socket))
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      siblings.delete(socket)
      if (siblings.size === 0) networks.delete(network)
    })
    if (sockets.size > crowded) endIdleOfLargest(networks)
  })
}

function endIdleOfLargest(networks: ReadonlyMap<string, ReadonlySet<Socket>>): void {
  let largest: ReadonlySet<Socket> = new Set()
  for (const siblings of networks.values()) if (siblings.size > largest.size) largest = siblings
  for (const socket of largest) {
    if (socket.destroyed || connectionOf(socket).answering) continue
    socket.destroy()
    return
  }
}

/**
 * From now on each answer is the last of its connection, also one that is being prepared: a client sends no request into a connection
 * that is about to be closed. What was sent ahead is answered first.
 */
export function endConnectionsAfterAnswers(server: Server): void {
  for (const event of ['request', 'checkExpectation']) server.prependListener(event, answerAsLast)
  for (const socket of open.get(server) ?? []) {
    const { answering, waiting } = connectionOf(socket)
    const last = waiting.at(-1)?.response ?? answering
    if (last) last.shouldKeepAlive = false
  }
}

function answerAsLast(_: IncomingMessage, response: ServerResponse) {
  response.shouldKeepAlive = false
}

/**
 * Returns what closes the connections of a server on which nothing is asked, answered, or has come since its last call. Node's own
 * `closeIdleConnections` cuts an answer that is still being sent, and leaves connections on which nothing was ever sent.
 */
export function silentCloser(server: Server): () => void {
  const received = new WeakMap<Socket, number>()
  return () => {
    for (const socket of open.get(server) ?? []) {
      if (!connectionOf(socket).answering && received.get(socket) === socket.bytesRead) socket.destroy()
      else received.set(socket, socket.bytesRead)
    }
  }
}

/** How long an answer may make no progress while there is no place for others. */
const UNREAD_MS = 3_000

/**
 * Returns what is called when there is no place for a request. It cuts off whoever has had an answer for some seconds and takes none
 * of it: so readers who do not read keep others out for no longer.
 */
export function unreadCutter(server: Server): () => void {
  let seen = new Map<Socket, number>()
  let seenMs = Number.NEGATIVE_INFINITY
  return () => {
    const sinceMs = performance.now() - seenMs
    if (sinceMs < UNREAD_MS) return
    const unread = unreadOf(open.get(server) ?? new Set())
    if (sinceMs < 2 * UNREAD_MS) endUnchanged(seen, unread)
    seen = unread
    seenMs = performance.now()
  }
}

function endUnchanged(before: ReadonlyMap<Socket, number>, now: ReadonlyMap<Socket, number>): void {
  for (const [socket, bytes] of now) if (before.get(socket) === bytes) socket.destroy()
}

/** Connections whose answer is made and not taken, with the bytes that wait; a stream is open for as long as it likes. */
function unreadOf(sockets: ReadonlySet<Socket>): Map<Socket, number> {
  const isUnread = (socket: Socket) => {
    const { place, record } = connectionOf(socket)
    return place?.isAnswered && !record?.isStream
  }
  return new Map([...sockets].filter(isUnread).map((socket) => [socket, socket.bytesWritten - socket.writableLength]))
}
