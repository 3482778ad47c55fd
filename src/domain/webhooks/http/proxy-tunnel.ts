import { isIPv6, type Socket } from 'node:net'
import { Client } from 'undici'
import type { Address } from './address-rules.ts'
import { AttemptFailure } from './attempt-failure.ts'

type TunnelRequest = { proxyUrl: string; target: Address; port: string; connectMs: number }

/** Opens a tunnel by CONNECT (RFC 9110, section 9.3.6). Rejects with `E_REFUSED` unless the proxy answers 2xx. */
export async function openTunnel({ proxyUrl, target, port, connectMs }: TunnelRequest): Promise<Socket> {
  const { origin, username, password } = new URL(proxyUrl)
  const authority = `${isIPv6(target.address) ? `[${target.address}]` : target.address}:${port}`
  const client = new Client(origin, { connect: { timeout: connectMs }, headersTimeout: connectMs })
  try {
    const headers = { host: authority, ...authorization(username, password) }
    const { statusCode, socket } = await client.connect({ path: authority, headers })
    if (statusCode >= 200 && statusCode < 300) return socket as Socket // an HTTP/1.1 tunnel is the connection itself
    socket.on('error', () => {}).destroy()
    throw new AttemptFailure('E_REFUSED', `the proxy answered ${statusCode}`)
  } catch (cause) {
    if (cause instanceof AttemptFailure) throw cause
    // without the code of the cause: on some of its own codes undici would connect again by itself
    throw new AttemptFailure('E_REFUSED', 'the proxy cannot be reached', { cause })
  } finally {
    client.close().catch(() => {})
  }
}

function authorization(username: string, password: string) {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}
