import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Context } from '../../domain/core/context.ts'
import { Problem } from '../../domain/core/problem.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Traces } from '../../telemetry/traces.ts'
import { createRestHandler } from '../handler.ts'
import { createPages } from '../pages/app.ts'
import { logRequest } from './access-log.ts'
import { callerOf, isRepeated } from './caller.ts'
import type { Connection, Exchange } from './connection.ts'
import { LoadLimit } from './load-limit.ts'
import { refuseMalformed } from './malformed-http.ts'
import { measureRequest, type RequestMeasure } from './measure.ts'
import { inTurn } from './pipelining.ts'
import { CLIENT_GONE, type IncomingRequest, recordOf, statusOf, tell } from './request-record.ts'
import { sendProblem } from './response.ts'
import { endSpan, traceRequest } from './trace.ts'
import { countUsage } from './usage.ts'

export type ServerOptions = {
  /** The service, once it can answer; until then everything but `/health/` is 503. */
  contextOf: () => Context | undefined
  log: Logger
  publicUrl: string
  /** How many proxies in front of this process are trusted. */
  trustProxy: number
  /** Called for each answer. Without it nothing is measured. */
  measure?: RequestMeasure | undefined
  /** Makes spans of requests and of what is done for them. */
  traces?: Traces | undefined
  /** Counts the requests in flight; shared with the metrics that show it. */
  loadLimit?: LoadLimit
}

/** One HTTP server: REST is answered on node:http itself, and only pages pass through Express. */
export function createHttpServer(options: ServerOptions): Server {
  const { contextOf, log, publicUrl, trustProxy, measure, traces, loadLimit = new LoadLimit() } = options
  const handleRest = createRestHandler({
    contextOf,
    publicUrl,
    report: (error, { requestId }) => log.error({ err: error, requestId }, 'REST request failed'),
  })
  const handlePage = createPages(options)
  const observers = [
    logRequest(log),
    countUsage(contextOf),
    ...(measure ? [measureRequest(measure)] : []),
    ...(traces ? [endSpan(traces)] : []),
  ]

  const begin = ({ request, response }: Exchange, connection: Connection) => {
    const caller = callerOf(request, trustProxy)
    const record = recordOf(request, caller)
    connection.record = record
    response.once('close', () => tell(observers, record, statusOf(record, response)))
    const incoming = { request, response, caller, record }
    if (traces) traceRequest(traces, request, record, () => answer(incoming))
    else answer(incoming)
  }

  const drop = (request: IncomingMessage) =>
    tell(observers, recordOf(request, callerOf(request, trustProxy)), CLIENT_GONE)

  const answer = (incoming: IncomingRequest) => {
    const { request, response, record } = incoming
    const refusal = loadLimit.hasPlaceFor(record, response) ? refusalOf(request) : busy()
    if (refusal) sendProblem(response, refusal, { requestId: record.id, publicUrl })
    else if (record.page) handlePage(incoming)
    else void handleRest(incoming)
  }

  const turns = { begin, drop }
  const handle = (request: IncomingMessage, response: ServerResponse) => inTurn({ request, response }, turns)

  const server = createServer(settings, handle)
  server.maxConnections = CONNECTIONS_MAX
  server.on('checkExpectation', handle) // an expectation that is unknown is ignored (RFC 9110, section 10.1.1)
  server.on('clientError', (error, socket) => {
    const record = refuseMalformed(error, socket, publicUrl)
    if (record?.malformed) tell(observers, record, record.malformed.status)
  })
  return server
}

/** Room for all streams, all requests and some idle connections. Further connections are closed at once. */
const CONNECTIONS_MAX = 15_000

const settings = {
  requireHostHeader: false, // Node's own refusal has no envelope; ours is `refusalOf` below
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // longer than load balancers keep an idle connection: they close it, not we
  connectionsCheckingInterval: 5_000,
}

function refusalOf(request: IncomingMessage): Problem | undefined {
  const isMissing = request.headers.host === undefined && request.httpVersionMinor > 0
  if (!isMissing && !isRepeated(request, 'host')) return undefined
  return new Problem('invalid_request', 'Host: is required, once (RFC 9112, section 3.2).')
}

const busy = () => new Problem('unavailable', 'The service is busy; try again in a moment.', { retryAfterS: 1 })
