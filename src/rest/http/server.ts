import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Caller, Context } from '../../domain/core/context.ts'
import { Problem } from '../../domain/core/problem.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Traces } from '../../telemetry/traces.ts'
import { createRestHandler } from '../handler.ts'
import { createPages } from '../pages/app.ts'
import { pageRouteOf } from '../pages/paths.ts'
import { logAccess } from './access-log.ts'
import { callerOf, isRepeated } from './caller.ts'
import { LoadLimit } from './load-limit.ts'
import { noteChunks, refuseBrokenHttp } from './malformed-http.ts'
import { measureRequest, type RequestMeasure } from './measure.ts'
import { inTurn } from './pipelining.ts'
import { unknownTarget } from './request-target.ts'
import { failure, send } from './response.ts'
import { traceRequest } from './trace.ts'

export type ServerOptions = {
  /** The service, once it can answer; until then everything but `/health/` is 503. */
  contextOf: () => Context | undefined
  log: Logger
  publicUrl: string
  /** How many proxies in front of this process are believed. */
  trustProxy: number
  /** Hears of each answer; what is absent costs nothing. */
  measure?: RequestMeasure | undefined
  /** Makes spans of requests and of what is done for them. */
  traces?: Traces | undefined
  /** How many requests are in flight at this moment is asked of it. */
  occupancy?: LoadLimit
}

/** One HTTP server: REST is answered on node:http itself, and only pages pass through Express. */
export function createHttpServer(options: ServerOptions): Server {
  const { contextOf, log, publicUrl, trustProxy, measure, traces, occupancy = new LoadLimit() } = options
  const handleRest = createRestHandler({
    contextOf,
    publicUrl,
    report: (error, { requestId }) => log.error({ err: error, requestId }, 'a request failed'),
  })
  const handlePage = createPages(options)

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    noteChunks(request, response)
    inTurn(request, response, () => begin(request, response))
  }

  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const caller = callerOf(request, trustProxy)
    logAccess(log, request, response, caller)
    if (measure) measureRequest(measure, request, response)
    if (!traces) return answer(request, response, caller)
    traceRequest({ traces, requestId: caller.requestId }, request, response, () => answer(request, response, caller))
  }

  const answer = (request: IncomingMessage, response: ServerResponse, caller: Caller) => {
    const refusal = occupancy.hasPlaceFor(request, response) ? malformed(request) : busy()
    const place = { path: '', requestId: caller.requestId, publicUrl }
    if (refusal) send(response, place, failure(refusal, unknownTarget, publicUrl))
    else if (pageRouteOf(request.url ?? '')) handlePage(request, response, caller)
    else void handleRest(request, response, caller)
  }

  const server = createServer(settings, handle)
  server.maxConnections = CONNECTIONS_MAX
  server.on('checkExpectation', handle) // an expectation that is unknown is ignored (RFC 9110, section 10.1.1)
  server.on('clientError', (error, socket) => refuseBrokenHttp(error, socket, publicUrl))
  return server
}

/** Room for every stream, every request, and some who are idle; what comes beyond that is closed at once. */
const CONNECTIONS_MAX = 15_000

const settings = {
  requireHostHeader: false, // Node's own refusal has no envelope; ours is `malformed`
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // longer than load balancers keep an idle connection: they close it, not we
  connectionsCheckingInterval: 5_000,
}

function malformed(request: IncomingMessage): Problem | undefined {
  const isMissing = request.headers.host === undefined && request.httpVersionMinor > 0
  if (!isMissing && !isRepeated(request, 'host')) return undefined
  return new Problem('invalid_request', 'Host: is required, once (RFC 9112, section 3.2).')
}

const busy = () => new Problem('unavailable', 'The service is busy; try again in a moment.', { retryAfterS: 1 })
