import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** One request as the receiver of a webhook saw it. */
export type Received = {
  path: string
  headers: Record<string, string>
  body: Buffer
  at: number
  /** The status, once there is one. */
  answered?: number
  event: {
    id: string
    type: string
    timestamp: string
    sequence: number
    channel: { id: string; username: string }
    data: Record<string, unknown>
  }
}

export type Answer = { status?: number; headers?: Record<string, string>; body?: string | Buffer } | 'hang'
/** What to answer to the `n`th request (from 1). */
export type Answering = (received: Received, n: number) => Answer | Promise<Answer>

/** A receiver on loopback that records everything and answers as it is told. */
export type Receiver = AsyncDisposable & {
  url: string
  requests: Received[]
  /** Resolves with all requests once there are `count` of them. */
  received(count: number): Promise<Received[]>
  /** The same, once they are about `count` different events. */
  receivedEvents(count: number): Promise<Received[]>
}

const ok: Answering = () => ({ status: 204 })

export async function startReceiver(answering: Answering = ok): Promise<Receiver> {
  const requests: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const received = await read(request)
    requests.push(received)
    for (const wake of waiting) wake()
    answer(response, received, await answering(received, requests.length))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const when = (isSo: () => boolean) =>
    new Promise<Received[]>((resolve) => {
      const look = () => {
        if (!isSo()) return
        waiting.delete(look)
        resolve(requests)
      }
      waiting.add(look)
      look()
    })
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    received: (count) => when(() => requests.length >= count),
    receivedEvents: (count) => when(() => new Set(requests.map(({ event }) => event.id)).size >= count),
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** Throws unless the request verifies under the secret, by the library that receivers use. */
export function verifyReceived({ body, headers }: Received, secret: string): void {
  new Webhook(secret).verify(body.toString(), headers)
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const headers = request.headers as Record<string, string>
  return { path: request.url ?? '', headers, body, at: performance.now(), event: JSON.parse(body.toString()) }
}

function answer(response: ServerResponse, received: Received, answer: Answer) {
  if (answer === 'hang') return
  const { status = 204, headers, body } = answer
  received.answered = status
  response.writeHead(status, headers).end(body)
}

async function close(server: Server) {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
