import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import type { Config } from '../config.ts'

const IDLE_CHECK_MS = 50
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

/**
 * Stops accepting connections and lets requests in flight finish, within 9 s. Behind a proxy it keeps accepting for the first
 * 2.5 s, so that the proxy sees 503 at `/health/ready` and sends requests elsewhere. Does nothing when the server does not listen.
 *
 * `server.close()` closes only the keep-alive connections that are idle at that moment, so the others are closed here as
 * soon as they become idle.
 */
export async function drain(server: Server, { trustedProxies }: Pick<Config, 'trustedProxies'>): Promise<void> {
  if (!server.listening) return
  const noticeMs = trustedProxies > 0 ? NOTICE_MS : 0
  if (noticeMs > 0) await after(noticeMs)
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const forced = setTimeout(() => server.closeAllConnections(), DRAIN_MS - noticeMs)
  await closed
  clearInterval(closeIdle)
  clearTimeout(forced)
}
