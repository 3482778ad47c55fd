import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../domain/context.ts'
import type { Logger } from '../telemetry/logger.ts'

/** One line per request, when it has ended: never a query, a header, a body, for any of them may hold a secret. */
export function logAccess(log: Logger, request: IncomingMessage, response: ServerResponse, caller: Caller) {
  if (!log.isLevelEnabled('info')) return
  const begun = performance.now()
  response.once('close', () => {
    const { method, url = '' } = request
    log.info(
      {
        requestId: caller.requestId,
        method,
        path: url.split('?', 1)[0],
        status: response.writableFinished ? response.statusCode : 499, // the client left before the end
        durationMs: Math.round((performance.now() - begun) * 10) / 10,
        address: caller.address,
      },
      'request',
    )
  })
}
