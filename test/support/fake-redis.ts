import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/**
 * What of Redis the counters need, on a port of its own: each script counts one of a minute. While it is frozen it accepts
 * and says nothing. `asked` is how often something was counted, answered or not.
 */
export async function startFakeRedis() {
  /** Each connection, and what it has not been told yet. */
  const sockets = new Map<Socket, string>()
  const counts = new Map<string, number>()
  let isFrozen = false
  let asked = 0
  const tellAll = () => {
    for (const [socket, answers] of sockets) socket.write(answers)
    for (const socket of sockets.keys()) sockets.set(socket, '')
  }
  const answer = ([command = '', , , key = '']: string[]): string => {
    if (command === 'info') return bulk('redis_version:7.0.0\r\nloading:0')
    if (!command.startsWith('eval')) return '+OK\r\n'
    asked++
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return `*2\r\n:${count}\r\n:60000\r\n`
  }
  const server = createServer((socket) => {
    sockets.set(
      socket.on('error', () => {}),
      '',
    )
    socket.on('data', (chunk) => {
      const answers = commandsIn(String(chunk)).map(answer).join('')
      sockets.set(socket, (sockets.get(socket) ?? '') + answers)
      if (!isFrozen) tellAll()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    freeze: () => {
      isFrozen = true
    },
    /** What was asked meanwhile is answered now. */
    thaw: () => {
      isFrozen = false
      tellAll()
    },
    [Symbol.dispose]: () => {
      for (const socket of sockets.keys()) socket.destroy()
      server.close()
    },
  }
}

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`

/** The commands of a chunk, which loopback does not split: lists of texts (RESP). */
function commandsIn(chunk: string): string[][] {
  return chunk
    .split(/^\*\d+\r\n/m)
    .slice(1)
    .map((command) => [...command.matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, word = '']) => word))
    .map(([command = '', ...words]) => [command.toLowerCase(), ...words])
}
