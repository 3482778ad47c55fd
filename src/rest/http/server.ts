import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Context } from '../../domain/core/context.ts'
import { Problem } from '../../domain/core/problem.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Traces } from '../../telemetry/traces.ts'
import { createRestHandler } from '../handler.ts'
import { createPages } from '../pages/app.ts'
import { PublishedDocuments } from '../pages/documents.ts'
import { logRequest } from './access-log.ts'
import { callerOf, isRepeated } from './caller.ts'
import { type Connection, type Exchange, followConnections, unreadCutter } from './connection.ts'
import { healthAskedAt } from './health-paths.ts'
import { busy, LoadLimit, type Place } from './load-limit.ts'
import { refuseMalformed } from './malformed-http.ts'
import { measureRequest, type RequestMeasure } from './measure.ts'
import { inTurn } from './pipelining.ts'
import {
  CLIENT_GONE,
  type IncomingRequest,
  type RequestObserver,
  type RequestRecord,
  recordOf,
  statusOf,
  tell,
} from './request-record.ts'
import { inOriginForm, rawPathOf } from './request-target.ts'
import { sendProblem } from './response.ts'
import { endSpan, traceRequest } from './trace.ts'
import { countUsage, noteRequest } from './usage.ts'

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
  /** Made as the service starts; without them each is made for who asks for it first. */
  documents?: PublishedDocuments
}

/** One HTTP server: REST is answered on node:http itself, and only pages pass through Express. */
export function createHttpServer(options: ServerOptions): Server {
  const { contextOf, log, publicUrl, trustProxy, traces } = options
  const { loadLimit = new LoadLimit(), documents = new PublishedDocuments(publicUrl) } = options
  const handleRest = createRestHandler({
    contextOf,
    publicUrl,
    report: (error, { requestId }) => log.error({ err: error, requestId }, 'REST request failed'),
  })
  const handlePage = createPages({ contextOf, log, publicUrl, documents })
  const observers = observersOf(options)

  const begin = ({ request, response }: Exchange, connection: Connection) => {
    const caller = callerOf(request, trustProxy)
    const record = recordOf(request, caller)
    connection.record = record
    const place = healthAskedAt(record.url) ? undefined : loadLimit.take(record.address)
    connection.place = place
    caller.becomeStream = streamOpener(place, record)
    const incoming = { request, response, caller, record, place }
    if (traces) traceRequest(traces, request, record, () => void answer(incoming))
    else void answer(incoming)
  }

  const end = (response: ServerResponse, { record, place }: Connection) => {
    place?.release()
    if (record) tell(observers, record, statusOf(record, response))
  }

  const drop = (request: IncomingMessage) =>
    tell(observers, recordOf(request, callerOf(request, trustProxy)), CLIENT_GONE)

  const answer = async (incoming: IncomingRequest) => {
    const { request, response, record, place } = incoming
    try {
      const refusal = isBusyFor(incoming) ? busy() : refusalOf(request)
      if (refusal) sendProblem(response, refusal, { path: rawPathOf(record.url), requestId: record.id, publicUrl })
      else if (record.page) await handlePage(incoming)
      else await handleRest(incoming)
    } finally {
      place?.release()
    }
  }

  const isBusyFor = ({ place, record }: IncomingRequest) => {
    const asked = healthAskedAt(record.url)
    const isBusy = asked ? asked === 'ready' && loadLimit.isFull : place === undefined
    if (isBusy) cutUnread()
    return isBusy
  }

  const turns = { begin, end, drop }
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    request.url = inOriginForm(request.url ?? '', request.headers.host)
    inTurn({ request, response }, turns)
  }

  const server = createServer(settings, handle)
  followConnections(server)
  const cutUnread = unreadCutter(server)
  Object.assign(server, { maxConnections: CONNECTIONS_MAX, timeout: STALLED_MS })
  server.on('checkExpectation', handle) // an expectation that is unknown is ignored (RFC 9110, section 10.1.1)
  server.on('clientError', (error, socket) => {
    tellMalformed(observers, refuseMalformed(error, socket, publicUrl))
  })
  return server
}

function observersOf({ log, contextOf, measure, traces }: ServerOptions): RequestObserver[] {
  return [
    logRequest(log),
    countUsage(contextOf),
    noteRequest(contextOf),
    ...(measure ? [measureRequest(measure)] : []),
    ...(traces ? [endSpan(traces)] : []),
  ]
}

function tellMalformed(observers: readonly RequestObserver[], record: RequestRecord | undefined) {
  if (record?.malformed) tell(observers, record, record.malformed.status)
}

/**
 * What a call does to become a stream. It is made here so that it knows nothing but these two: as a closure among those of a
 * request it kept each response of a connection until the next full garbage collection, at twice the price of an answer.
 */
function streamOpener(place: Place | undefined, record: RequestRecord) {
  return () => {
    if (place?.becomeStream() === false) throw busy()
    record.isStream = true
  }
}

/** Room for all streams, all requests and some idle connections. Further connections are closed at once. */
const CONNECTIONS_MAX = 15_000

/** A connection on which nothing moves while an answer is on its way. More than streams and long answers are ever silent. */
const STALLED_MS = 30_000

const settings = {
  requireHostHeader: false, // Node's own refusal has no envelope; ours is `refusalOf` below
  headersTimeout: 9_000,
  requestTimeout: 9_000, // with its body; looked at twice a second, so that nobody takes more than 10 s
  keepAliveTimeout: 65_000, // longer than load balancers keep an idle connection: they close it, not we
  connectionsCheckingInterval: 500,
}

function refusalOf(request: IncomingMessage): Problem | undefined {
  const isMissing = request.headers.host === undefined && request.httpVersionMinor > 0
  if (!isMissing && !isRepeated(request, 'host')) return undefined
  return new Problem('invalid_request', 'Host: is required, once (RFC 9112, section 3.2).')
}
