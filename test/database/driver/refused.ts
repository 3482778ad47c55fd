import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { connect, outcomeOf, report } from './fault.ts'

/** Ten statements on a pool of two, whose server refuses connections; and one behind a proxy that accepts and closes. */
const closed = createServer().listen(0, '127.0.0.1')
await once(closed, 'listening')
const { port } = closed.address() as AddressInfo
closed.close()
await once(closed, 'close')
const dead = connect({ host: '127.0.0.1', port, max: 2, backoff: () => 1 })
const begun = performance.now()
const refused = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(dead`select 1`)))
const tookMs = performance.now() - begun

const proxy = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
await once(proxy, 'listening')
const behind = connect({ host: '127.0.0.1', port: (proxy.address() as AddressInfo).port, max: 1 })
report({ refused, tookMs, accepted: await outcomeOf(behind`select 1`, 3_000) })
