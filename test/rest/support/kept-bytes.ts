import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { pino } from 'pino'
import { createHttpServer } from '../../../src/rest/http/server.ts'

// node --expose-gc --import tsx kept-bytes.ts PATH …: for each path, the bytes of an answer that scavenges leave to a full garbage
// collection, as lines of JSON. A process of its own, because the heap of others decides what a scavenge promotes.

const REQUESTS = 200
const ROUNDS = 7
const gc = globalThis.gc as (options?: { type: 'minor' }) => void

const server = createHttpServer({
  contextOf: () => undefined,
  log: pino({ level: 'silent' }),
  publicUrl: 'http://127.0.0.1',
  trustProxy: 0,
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const { port } = server.address() as AddressInfo
for (const path of process.argv.slice(2))
  process.stdout.write(`${JSON.stringify({ path, bytes: await keptOf(path) })}\n`)
process.exit(0)

/** The median of some rounds, on one connection. */
async function keptOf(path: string): Promise<number | undefined> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    gc() // one that was begun, and not ended, has scavenges leave everything
    const before = await keptBytes()
    for (let n = 0; n < REQUESTS; n++) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      await once(socket, 'data')
      if (n % 50 === 0) await keptBytes()
    }
    rounds.push(((await keptBytes()) - before) / REQUESTS)
  }
  socket.destroy()
  return rounds.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]
}

async function keptBytes(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    gc({ type: 'minor' })
    await turn()
  }
  return getHeapStatistics().used_heap_size
}
