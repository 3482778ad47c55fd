import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Traces } from '../../telemetry/traces.ts'
import { isStream } from './load-limit.ts'
import { operationOf, statusOf } from './measure.ts'

type Traced = { traces: Traces; requestId: string }

/** Answers a request and makes a span of it once its response has ended. Streams stay open for hours and get none. */
export function traceRequest(
  { traces, requestId }: Traced,
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => void,
) {
  if (isStream(request)) return answer()
  const { method = '', url = '' } = request // Express takes parts off the address
  const followed = traces.begin(request.headers.traceparent as string | undefined) // several are joined, and then none is believed
  response.once('close', () =>
    traces.end(followed, { operation: operationOf(method, url), method, status: statusOf(response), requestId }),
  )
  traces.within(followed, answer)
}
