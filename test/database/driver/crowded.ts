import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { connect, dialServer, outcomeOf, report } from './fault.ts'

/** A server that has room for three sessions, asked by a pool of eight: those that it refuses come as the others are opened, and later. */
const sessions = new Set<Socket>()
const server = createServer((client) => {
  if (sessions.size === 3) return void client.end()
  sessions.add(client)
  const upstream = dialServer()
  client.on('error', () => {}).on('close', () => upstream.destroy())
  client.pipe(upstream).pipe(client)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const sql = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, max: 8, backoff: () => 0.01 })
const ask = (count: number) => Promise.all(Array.from({ length: count }, () => outcomeOf(sql`select pg_sleep(0.02)`)))
const atFirst = await ask(40)
report({ atFirst, later: await ask(40), sessions: sessions.size })
