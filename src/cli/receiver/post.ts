import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect as connectTcp, isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { errorMessageOf } from '../../telemetry/error-message.ts'

/** What we give a receiver for the whole of a delivery. */
const DEADLINE_MS = 15_000
const CONNECT_MS = 5_000
const SLOW_PIECES = 6
const SLOW_PAUSE_MS = 400

export type ReceiverPost = {
  headers: Record<string, string>
  body: Buffer
  /** Sends the body in pieces, over some seconds. */
  isSlow?: boolean
}

/** A status, or why there is none. */
export type ReceiverReply = { status: number; ms: number } | { status: undefined; reason: string; ms: number }

/** Sends one POST, as a delivery is sent: a redirect is not followed, and after 15 s it is over. */
export async function postTo(url: string, { headers, body, isSlow = false }: ReceiverPost): Promise<ReceiverReply> {
  const begunMs = performance.now()
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  const reply = new Promise<number>((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      signal,
      agent: false,
      headers: { ...headers, 'content-length': body.length },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    write(sent, body, isSlow).catch(reject)
  })
  try {
    return { status: await reply, ms: performance.now() - begunMs }
  } catch (error) {
    const reason = signal.aborted ? 'it did not answer within 15 s' : `it did not answer: ${errorMessageOf(error)}`
    return { status: undefined, reason, ms: performance.now() - begunMs }
  }
}

/** Opens a connection, with TLS for https, and closes it. Resolves to why there is none; to undefined when there was one. */
export async function reachFault(url: string): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url)
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '') // of IPv6
  const signal = AbortSignal.timeout(CONNECT_MS)
  const at = { host, port: Number(port || (isSecure ? 443 : 80)) }
  const socket = isSecure ? connectTls({ ...at, ...(isIP(host) === 0 && { servername: host }) }) : connectTcp(at)
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal })
    return undefined
  } catch (error) {
    return signal.aborted ? `no connection within ${CONNECT_MS / 1_000} s` : errorMessageOf(error)
  } finally {
    socket.destroy()
  }
}

async function write(sent: ReturnType<typeof requestHttp>, body: Buffer, isSlow: boolean): Promise<void> {
  const size = isSlow ? Math.ceil(body.length / SLOW_PIECES) : body.length
  for (let at = 0; at < body.length && !sent.destroyed; at += size) {
    if (at > 0) await sleep(SLOW_PAUSE_MS)
    sent.write(body.subarray(at, at + size))
  }
  sent.end()
}
