import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { buildConnector } from 'undici'
import type { Address } from './address-rules.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Resolve } from './dns.ts'
import { openTunnel } from './proxy-tunnel.ts'
import { portOf, rulesForPort, type TargetRules } from './target-policy.ts'

export const CONNECT_MS = 5_000

export type Connector = buildConnector.connector
type Options = buildConnector.Options
type Callback = buildConnector.Callback

export type ConnectorOptions = {
  rules: TargetRules
  resolve: Resolve
  /** Additional root certificates, for receivers with a private authority. Verification cannot be switched off. */
  tls?: Pick<ConnectionOptions, 'ca'>
  connectMs?: number
}

/**
 * Connects undici to receivers and checks the address three times: a literal before connecting, each address from DNS (bad
 * ones are dropped), and the remote address of the socket. It connects to the very address that it has checked, so DNS
 * rebinding has no window.
 */
export function createConnector(options: ConnectorOptions): Connector {
  const { rules } = options
  return rules.proxyUrl === undefined ? directConnector(options) : proxiedConnector(options, rules.proxyUrl)
}

/** The ports of this service have connectors of their own, as `lookup` does not hear of the port. */
function directConnector(given: ConnectorOptions): Connector {
  const connectOthers = connectorUnder(given)
  const own = (given.rules.ownPorts ?? []).map((port) => {
    const rules = rulesForPort(given.rules, port)
    return [port, connectorUnder({ ...given, rules })] as const
  })
  const connectOwn = new Map(own)
  return (options, callback) => (connectOwn.get(portOf(options)) ?? connectOthers)(options, callback)
}

function connectorUnder({ rules, resolve, tls, connectMs = CONNECT_MS }: ConnectorOptions): Connector {
  const lookup: LookupFunction = (host, { all }, done) => {
    allowedAddresses(rules, resolve, host).then(
      (found) => (all ? done(null, found) : done(null, found[0].address, found[0].family)),
      (error: Error) => done(error, ''),
    )
  }
  const connect = secureConnector({ lookup, ...tls }, connectMs)
  return (options, callback) => {
    const { hostname } = options
    // net.connect does not call `lookup` for a literal
    if (isIP(hostname) && !rules.isAllowed(hostname)) return refuse(callback, hostname)
    return connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      if (rules.isAllowed(socket.remoteAddress ?? '')) return callback(null, socket)
      destroy(socket)
      return refuse(callback, socket.remoteAddress ?? 'a closed connection')
    })
  }
}

/** Through the operator's egress proxy, which is asked for the checked address and never for a name. */
function proxiedConnector(options: ConnectorOptions, proxyUrl: string): Connector {
  const { rules, resolve, tls, connectMs = CONNECT_MS } = options
  const encrypt = secureConnector({ ...tls }, connectMs)
  const open = async ({ hostname, protocol, port }: Options) => {
    const toPort = portOf({ protocol, port })
    const [target] = await allowedAddresses(rulesForPort(rules, toPort), resolve, hostname)
    return openTunnel({ proxyUrl, target, port: String(toPort), connectMs })
  }
  return (options, callback) => {
    open(options).then(
      (socket) =>
        options.protocol === 'https:' ? encrypt({ ...options, httpSocket: socket }, callback) : callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

/** TLS sessions are cached, because with many receivers the handshakes dominate the cost. */
const secureConnector = (options: buildConnector.BuildOptions, connectMs: number) =>
  buildConnector({
    ...options,
    timeout: connectMs,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    maxCachedSessions: 1000,
  })

/** The allowed addresses of a host, at least one. Rejects with `E_BLOCKED_ADDRESS`, or with the error of DNS. */
async function allowedAddresses(rules: TargetRules, resolve: Resolve, host: string): Promise<[Address, ...Address[]]> {
  const family = isIP(host)
  const found = family ? [{ address: host, family }] : await resolve(host)
  const [first, ...others] = found.filter(({ address }) => rules.isAllowed(address))
  if (!first) throw new AttemptFailure('E_BLOCKED_ADDRESS', `${host} leads only to addresses that are not allowed`)
  return [first, ...others]
}

function refuse(callback: Callback, address: string) {
  callback(new AttemptFailure('E_BLOCKED_ADDRESS', `${address} is not allowed`), null)
}

function destroy(socket: Socket) {
  socket.on('error', () => {}).destroy()
}
