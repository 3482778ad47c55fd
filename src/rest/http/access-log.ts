import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../domain/core/context.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { operationOf, statusOf } from './measure.ts'

const PATH_LENGTH_MAX = 2_000

/**
 * One line per request, when it has ended: never a query, a header, a body, for any of them may hold a secret. Those who
 * ask every second whether all is well are told of in detail only.
 */
export function logAccess(log: Logger, request: IncomingMessage, response: ServerResponse, caller: Caller) {
  if (!log.isLevelEnabled('info')) return
  const begun = performance.now()
  const { method = '', url = '' } = request // Express takes parts off the address
  response.once('close', () => {
    const level = url.startsWith('/health') ? 'debug' : 'info'
    log[level](
      {
        requestId: caller.requestId,
        operation: caller.trail?.operation ?? operationOf(method, url),
        clientId: caller.trail?.clientId,
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
