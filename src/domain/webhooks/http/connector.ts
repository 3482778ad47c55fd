import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { buildConnector } from 'undici'
import { AttemptFailure } from './attempt-failure.ts'
import type { Address, Resolve } from './dns.ts'
import { openTunnel } from './proxy-tunnel.ts'
import type { TargetGuard } from './target-policy.ts'

export const CONNECT_MS = 5_000

export type Connector = buildConnector.connector
type Options = buildConnector.Options
type Callback = buildConnector.Callback

export type ConnectorOptions = {
  guard: TargetGuard
  resolve: Resolve
  /** More roots to trust, for receivers with a certificate of one's own. Verification cannot be switched off. */
  tls?: Pick<ConnectionOptions, 'ca'>
  connectMs?: number
}

/**
 * undici's way to a socket, guarded: a literal is judged before it is dialled, each answer of DNS is judged (bad ones are
 * dropped), and what was reached is judged once more. The judged address is the dialled one, so rebinding has no window.
 */
export function guardedConnector(options: ConnectorOptions): Connector {
  const { guard } = options
  return guard.proxyUrl === undefined ? directConnector(options) : proxiedConnector(options, guard.proxyUrl)
}

function directConnector({ guard, resolve, tls, connectMs = CONNECT_MS }: ConnectorOptions): Connector {
  const lookup: LookupFunction = (host, { all }, done) => {
    allowedAddresses(guard, resolve, host).then(
      (found) => (all ? done(null, found) : done(null, found[0].address, found[0].family)),
      (error: Error) => done(error, ''),
    )
  }
  const connect = secureConnector({ lookup, ...tls }, connectMs)
  return (options, callback) => {
    const { hostname } = options
    // net.connect never asks `lookup` about a literal
    if (isIP(hostname) && !guard.isAllowed(hostname)) return refuse(callback, hostname)
    return connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      if (guard.isAllowed(socket.remoteAddress ?? '')) return callback(null, socket)
      destroy(socket)
      return refuse(callback, socket.remoteAddress ?? 'a closed connection')
    })
  }
}

/** Through the operator's egress proxy: it is asked for the judged address, never for a name. */
function proxiedConnector(options: ConnectorOptions, proxyUrl: string): Connector {
  const { guard, resolve, tls, connectMs = CONNECT_MS } = options
  const encrypt = secureConnector({ ...tls }, connectMs)
  const open = async ({ hostname, protocol, port }: Options) => {
    const [target] = await allowedAddresses(guard, resolve, hostname)
    const portOrDefault = port || (protocol === 'https:' ? '443' : '80')
    return openTunnel({ proxyUrl, target, port: portOrDefault, connectMs })
  }
  return (options, callback) => {
    open(options).then(
      (socket) =>
        options.protocol === 'https:' ? encrypt({ ...options, httpSocket: socket }, callback) : callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

/** Sessions are kept, because with many receivers the handshakes dominate. */
const secureConnector = (options: buildConnector.BuildOptions, connectMs: number) =>
  buildConnector({
    ...options,
    timeout: connectMs,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    maxCachedSessions: 1000,
  })

/** The addresses of a host that may be dialled, at least one. Rejects with `E_BLOCKED_ADDRESS` or what DNS said. */
async function allowedAddresses(guard: TargetGuard, resolve: Resolve, host: string): Promise<[Address, ...Address[]]> {
  const family = isIP(host)
  const found = family ? [{ address: host, family }] : await resolve(host)
  const [first, ...others] = found.filter(({ address }) => guard.isAllowed(address))
  if (!first) throw new AttemptFailure('E_BLOCKED_ADDRESS', `${host} leads only to addresses that are not allowed`)
  return [first, ...others]
}

function refuse(callback: Callback, address: string) {
  callback(new AttemptFailure('E_BLOCKED_ADDRESS', `${address} is not allowed`), null)
}

function destroy(socket: Socket) {
  socket.on('error', () => {}).destroy()
}
