import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** A load balancer of TCP: each connection goes to the next of the ports. */
export async function startBalancer(ports: () => readonly number[]) {
  let turn = 0
  const server = createServer((client) => {
    const upstream = connect(ports()[turn++ % ports().length] ?? 0, '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {})
      one.once('close', () => other.destroy())
    }
    client.pipe(upstream).pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { port, base: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() }
}
