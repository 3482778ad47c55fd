import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver of webhooks that takes all, and answers what its path says: `/500`. */
export async function receiveAnything() {
  const server = createServer((request, response) => {
    const status = Number(request.url?.slice(1))
    request.resume().once('end', () => response.writeHead(status >= 200 && status < 600 ? status : 204).end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
