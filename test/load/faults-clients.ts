import { connect, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'

/** Whoever is hostile has an address of its own, as a stranger has, and not that of the callers who are measured. */
const STRANGER = '127.0.0.66'
const STALLED = 20
const PIPELINED = 100
const SHORT_EVERY_MS = 100
const HEADS = 1_000
const HEADS_AGAIN_MS = 5_000

/** Ends what was begun. */
export type Stop = () => void

/** Connections that ask for page after page and read nothing. */
export function stalledClients(base: string, token: string): Stop {
  const ask = `GET /v1/channels/?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  return again(base, STALLED, 1_000, (socket) => {
    socket.pause()
    socket.write(ask.repeat(PIPELINED))
  })
}

/** Ten a second, or as many as asked for, that send a hundred requests in one write, and leave without a word. */
export function shortClients(base: string, everyMs = SHORT_EVERY_MS): Stop {
  const burst = `GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n${'GET /health/ HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(PIPELINED)}`
  return again(base, 1, everyMs, (socket) => {
    socket.write(burst, () => socket.resetAndDestroy())
  })
}

/** A thousand heads that announce a body which does not come, again and again. */
export function announcedBodies(base: string): Stop {
  const head =
    'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 65536\r\n\r\n'
  return again(base, HEADS, HEADS_AGAIN_MS, (socket) => {
    socket.write(head)
  })
}

/** So many streams of one person that do not say that they are streams. */
export function unannouncedStreams(base: string, token: string, room: string): Stop {
  const input = encodeURIComponent(JSON.stringify({ room_name: room }))
  const ask = `GET /trpc/chat.watch?input=${input} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  return again(base, HEADS, HEADS_AGAIN_MS, (socket) => {
    socket.write(ask)
  })
}

/** Keeps so many connections open; whichever was closed is opened again at the next round. */
function again(base: string, count: number, everyMs: number, use: (socket: Socket) => void): Stop {
  const { hostname, port } = new URL(base)
  const sockets = new Set<Socket>()
  const calm = new AbortController()
  const open = () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: STRANGER })
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('connect', () => use(socket))
    socket.once('close', () => sockets.delete(socket))
  }
  const rounds = async () => {
    while (!calm.signal.aborted) {
      while (sockets.size < count) open()
      await after(everyMs, undefined, { signal: calm.signal }).catch(() => {})
    }
  }
  void rounds()
  return () => {
    calm.abort()
    for (const socket of sockets) socket.resetAndDestroy()
  }
}
