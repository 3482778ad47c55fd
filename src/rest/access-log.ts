import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../domain/context.ts'
import type { Logger } from '../telemetry/logger.ts'

const PATH_LENGTH_MAX = 2_000

/** One line per request, when it has ended: never a query, a header, a body, for any of them may hold a secret. */
export function logAccess(log: Logger, request: IncomingMessage, response: ServerResponse, caller: Caller) {
  if (!log.isLevelEnabled('info')) return
  const begun = performance.now()
  const { method, url = '' } = request // Express takes parts off the address
  response.once('close', () => {
    log.info(
      {
        requestId: caller.requestId,
        method,
        path: url.split('?', 1)[0]?.slice(0, PATH_LENGTH_MAX),
        status: statusOf(response),
        durationMs: Math.round((performance.now() - begun) * 10) / 10,
        address: caller.address,
      },
      'request',
    )
  })
}

/** The status of a response that has ended: 499 when the client left before the end. */
export const statusOf = (response: ServerResponse) => (response.writableFinished ? response.statusCode : 499)
