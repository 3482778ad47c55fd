import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'

/** One subscription as its receiver sees it. */
export class Ear {
  secret: string | undefined
  /** How often each event was accepted, by its `webhook-id`. */
  readonly accepted = new Map<string, number>()
  refused = 0
  broken = 0
  readonly answerMs: number
  readonly #refuses: number

  /** `refuses` of all requests are answered with 503; each answer takes so long. */
  constructor(refuses: number, answerMs = 0) {
    this.#refuses = refuses
    this.answerMs = answerMs
  }

  /** Answers one request. */
  hear(body: string, headers: Record<string, string>): number {
    if (this.secret === undefined) return 204
    try {
      new Webhook(this.secret).verify(body, headers)
    } catch {
      this.broken++
      return 400
    }
    if (Math.random() < this.#refuses) {
      this.refused++
      return 503
    }
    const id = headers['webhook-id'] ?? ''
    if (JSON.parse(body).id !== id) this.broken++
    this.accepted.set(id, (this.accepted.get(id) ?? 0) + 1)
    return 204
  }

  /** Acceptances beyond the first of each event. */
  get repeats(): number {
    return [...this.accepted.values()].reduce((sum, times) => sum + times - 1, 0)
  }
}

/** A server on loopback; the path of a request says whose it is. */
export async function startEars(ears: Record<string, Ear>) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const ear = ears[request.url?.slice(1) ?? '']
    if (ear && ear.answerMs > 0) await after(ear.answerMs)
    response.writeHead(ear?.hear(body, request.headers as Record<string, string>) ?? 204).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
