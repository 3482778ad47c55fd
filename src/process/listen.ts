import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as PortServer } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { endConnectionsAfterAnswers, silentCloser } from '../rest/http/connection.ts'
import type { Lifecycle } from './lifecycle.ts'

/** More than a proxy takes to send the request that it has begun to send. */
const SILENT_MS = 500
const DRAIN_MS = 9_000
/** Load balancers commonly check readiness every two seconds. */
const NOTICE_MS = 2_500

/** Throws one line that names the variable to change when the address cannot be used. */
export async function listenHttp(
  server: Server,
  { port, host }: Pick<Config, 'port' | 'host'>,
  variable = 'PORT',
): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const explain = error instanceof Error && 'code' in error ? refusals[String(error.code)] : undefined
    if (!explain) throw error
    throw new Error(explain(host, port, variable))
  }
}

const refusals: Record<string, ((host: string, port: number, variable: string) => string) | undefined> = {
  EADDRINUSE: (host, port, variable) =>
    `${variable} ${port} of ${host} is in use: stop what listens there, or set another ${variable}`,
  EACCES: (_, port, variable) =>
    `${variable} ${port} may not be listened on by this user: set a ${variable} above 1023`,
  EADDRNOTAVAIL: (host) => `HOST ${host} is no address of this machine`,
  ENOTFOUND: (host) => `HOST ${host} has no address`,
}

/** A proxy that asks nobody for readiness sends requests to whoever listens. */
const LISTEN_LATEST_MS = 20_000

type When = Pick<Lifecycle, 'disposables' | 'fail'> & { isMember?: boolean; listensFirst?: boolean }

/**
 * Listens at once, behind a proxy later: returns what is to be called when the server can answer. A single process behind a proxy
 * listens then, and after 20 s all the same, to say by 503 that it cannot answer. A worker process of a cluster listens at once,
 * unless it replaces another.
 */
export async function beginListening(
  server: Server,
  config: Pick<Config, 'port' | 'host' | 'trustedProxies'>,
  { disposables, fail, isMember = false, listensFirst = true }: When,
): Promise<() => Promise<void>> {
  let listening: Promise<void> | undefined
  const listen = () => {
    listening ??= listenHttp(server, config)
    return listening
  }
  if (!listensFirst) return listen
  if (isMember || config.trustedProxies === 0) await listen()
  else {
    const latest = setTimeout(() => listen().catch(fail), LISTEN_LATEST_MS)
    disposables.defer(() => clearTimeout(latest))
  }
  return listen
}

/**
 * Stops accepting connections and lets requests in flight finish, within 9 s. Behind a proxy it goes on as before for the first
 * 2.5 s, so that the proxy sees 503 at `/health/ready` and sends requests elsewhere; connections are kept until then, because what
 * a proxy opens while the port is closed may be reset with a request in it. Each answer after that is the last of its connection,
 * and a connection on which half a second long nothing is asked or answered is closed. Does nothing when the server does not listen.
 */
export async function drain(server: Server, { trustedProxies }: Pick<Config, 'trustedProxies'>): Promise<void> {
  if (!server.listening) return
  const noticeMs = trustedProxies > 0 ? NOTICE_MS : 0
  if (noticeMs > 0) await after(noticeMs)
  endConnectionsAfterAnswers(server)
  const closed = new Promise<void>((resolve) => {
    PortServer.prototype.close.call(server, () => resolve()) // that of `http` would close idle connections at once
  })
  const closeSilent = silentCloser(server)
  closeSilent()
  const closing = setInterval(closeSilent, SILENT_MS)
  const forced = setTimeout(() => server.closeAllConnections(), DRAIN_MS - noticeMs)
  await closed
  clearInterval(closing)
  clearTimeout(forced)
}
