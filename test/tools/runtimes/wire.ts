import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*, authorization',
  'access-control-expose-headers': '*',
}

/**
 * A server that does to calls what networks do: loses the first try of a message and puts off the second, redirects whoever asks
 * who they are, and has the service cut all connections off.
 */
export async function startWire(cut: () => void) {
  const keys: unknown[] = []
  const taken: unknown[] = []
  const elsewhere = await listen((request, response) => {
    taken.push(request.headers)
    response.writeHead(200, CORS).end('{}')
  })
  const answers: Record<string, RequestListener> = {
    'GET /': (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page</title>'),
    'GET /cut': (_, response) => {
      cut()
      response.writeHead(204, CORS).end()
    },
    'GET /v1/users/me': (_, response) => void response.writeHead(307, { ...CORS, location: elsewhere.base }).end(),
    'POST /v1/chat/messages': (request, response) => {
      keys.push(request.headers['idempotency-key'])
      if (keys.length === 1) return void response.destroy()
      if (keys.length === 2) return void response.writeHead(503, { ...CORS, 'retry-after': '0' }).end()
      return void response.writeHead(201, CORS).end(JSON.stringify({ data: { id: 'sent' } }))
    },
  }
  const wire = await listen((request, response) => {
    const answer = answers[`${request.method} ${request.url}`]
    if (answer) return answer(request, response)
    return void response.writeHead(request.method === 'OPTIONS' ? 204 : 404, CORS).end()
  })
  return {
    base: wire.base,
    /** By which keys a message was sent; and what has come to the other server. */
    keys,
    taken,
    [Symbol.dispose]: () => {
      for (const server of [wire, elsewhere]) server.stop()
    },
  }
}

async function listen(answer: RequestListener) {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}
