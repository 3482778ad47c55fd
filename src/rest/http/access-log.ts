import type { Logger } from '../../telemetry/logger.ts'
import { holdsCredential } from '../../telemetry/redaction.ts'
import type { RequestObserver } from './request-record.ts'
import { rawPathOf } from './request-target.ts'

const PATH_LENGTH_MAX = 2_000

/**
 * One line per request, when it has ended: never a query, a header or a body, because any of them may hold a secret. Health
 * checks, which come every second, and malformed HTTP, which scanners send in any quantity, are logged at `debug` only.
 */
export function logRequest(log: Logger): RequestObserver {
  return ({ id, operation, clientId, method, url, address, malformed }, status, durationMs) => {
    const isRequest = method !== ''
    const level = isRequest && !url.startsWith('/health') ? 'info' : 'debug'
    if (!log.isLevelEnabled(level)) return
    log[level](
      {
        requestId: id,
        operation,
        clientId,
        method,
        path: shownPath(url),
        status,
        durationMs: Math.round(durationMs * 10) / 10,
        address,
        ...(malformed && { reason: malformed.reason }),
      },
      'request',
    )
  }
}

/** As it came, unless its encoding hides a credential from the log's own eyes. */
function shownPath(url: string): string {
  const path = rawPathOf(url).slice(0, PATH_LENGTH_MAX)
  if (!path.includes('%')) return path
  const decoded = path.replace(/%[2-7][0-9a-f]/gi, (octet) => String.fromCharCode(Number.parseInt(octet.slice(1), 16)))
  return holdsCredential(decoded) ? decoded : path
}
