import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RequestRecord } from './request-record.ts'

export type Exchange = { request: IncomingMessage; response: ServerResponse }

/** What is in progress on a connection. */
export type Connection = {
  /** The request that arrived last, answered or not, if its body comes in chunks. */
  chunked: Exchange | undefined
  /** The record of the request that is being answered. */
  record: RequestRecord | undefined
  isAnswering: boolean
  /** Requests that were sent ahead and wait for their turn. */
  waiting: Exchange[]
}

const connections = new WeakMap<Duplex, Connection>()

/** What is known of the connection of a socket. */
export function connectionOf(socket: Duplex): Connection {
  const known = connections.get(socket)
  if (known) return known
  const connection: Connection = { chunked: undefined, record: undefined, isAnswering: false, waiting: [] }
  connections.set(socket, connection)
  return connection
}
