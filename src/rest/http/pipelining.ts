import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many requests of a connection may wait for their turn: as many as the tools that pipeline usually send ahead. */
const WAITING_MAX = 16

type Waiting = { response: ServerResponse; begin: () => void }

const waitingOf = new WeakMap<Socket, Waiting[]>()

/**
 * Begins a request once the one before it on its connection was answered (RFC 9112, section 9.3.2), so that a connection
 * takes one place at a time, and what a client who left had sent ahead takes none: Node tells of the end of a response only
 * once its turn has come. A client who sends too far ahead gets the answers up to there, and then the end of the connection.
 */
export function inTurn(request: IncomingMessage, response: ServerResponse, begin: () => void) {
  const { socket } = request
  const waiting = waitingOf.get(socket)
  if (!waiting) {
    waitingOf.set(socket, [])
    beginNow(socket, { response, begin })
  } else if (waiting.length < WAITING_MAX) {
    waiting.push({ response, begin })
  } else {
    socket.pause()
    const last = waiting.at(-1)
    if (last) last.response.shouldKeepAlive = false
  }
}

function beginNow(socket: Socket, { response, begin }: Waiting) {
  response.once('close', () => {
    const next = socket.destroyed ? undefined : waitingOf.get(socket)?.shift()
    if (next) beginNow(socket, next)
    else waitingOf.delete(socket)
  })
  begin()
}
