import type { IncomingMessage } from 'node:http'
import type { Traces } from '../../telemetry/traces.ts'
import type { RequestObserver, RequestRecord } from './request-record.ts'

/** Answers a request and follows what is done for it. Streams get no span. */
export function traceRequest(traces: Traces, { headers }: IncomingMessage, record: RequestRecord, answer: () => void) {
  if (record.isStream) return answer()
  // Node joins repeated headers to a value that does not parse
  record.trace = traces.begin(headers.traceparent as string | undefined)
  traces.within(record.trace, answer)
}

/** Makes a span of each request that was followed. */
export function endSpan(traces: Traces): RequestObserver {
  return ({ id, trace, operation = '', method }, status) => {
    if (trace) traces.end(trace, { operation, method, status, requestId: id })
  }
}
