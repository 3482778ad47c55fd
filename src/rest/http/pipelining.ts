import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Connection, connectionOf, type Exchange } from './connection.ts'

/** How many requests of a connection may wait for their turn: as many as the tools that pipeline usually send ahead. */
const WAITING_MAX = 16

type Turns = {
  begin: (exchange: Exchange, connection: Connection) => void
  /** Called when the response of a request that was begun has closed, before the next one begins. */
  end: (response: ServerResponse, connection: Connection) => void
  /** Called for each request whose turn will not come. */
  drop: (request: IncomingMessage) => void
}

/**
 * Begins a request once the one before it on its connection was answered (RFC 9112, section 9.3.2). So a connection takes
 * one place at a time, and what a client who left had sent ahead takes none: Node reports the end of a response only after
 * its turn has come. A client who sends too far ahead gets the answers up to there, and then the end of the connection.
 */
export function inTurn(exchange: Exchange, turns: Turns) {
  const { socket } = exchange.request
  const connection = connectionOf(socket)
  const { waiting } = connection
  connection.chunked = isChunked(exchange) ? exchange : undefined
  if (!connection.answering) return beginNow(exchange, connection, turns)
  if (waiting.length < WAITING_MAX) {
    waiting.push(exchange)
    return
  }
  socket.pause()
  const last = waiting.at(-1)
  if (last) last.response.shouldKeepAlive = false
  turns.drop(exchange.request)
}

function beginNow(exchange: Exchange, connection: Connection, turns: Turns) {
  connection.answering = exchange.response
  turns.begin(exchange, connection)
  // it comes once, and on() is cheaper than once()
  exchange.response.on('close', () => {
    turns.end(exchange.response, connection)
    connection.answering = undefined
    connection.record = undefined
    connection.place = undefined
    endTurn(exchange.request, connection, turns)
  })
}

const isChunked = ({ request: { headers } }: Exchange) => headers['transfer-encoding'] !== undefined

/** After an answer with `Connection: close` Node ends the socket, and would never report the end of a further response. */
function endTurn({ socket }: IncomingMessage, connection: Connection, turns: Turns) {
  const { waiting } = connection
  if (!socket.writable) {
    for (const { request } of waiting.splice(0)) turns.drop(request)
    return
  }
  const next = waiting.shift()
  if (next) beginNow(next, connection, turns)
}
