import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../domain/core/caller.ts'
import { endRequest, type RequestFindings } from '../../domain/core/request-record.ts'
import type { TracedRequest } from '../../telemetry/traced-request.ts'
import { routeAt, routes } from '../openapi/routes.ts'
import { formPages, pageRootOf } from '../pages/table.ts'
import type { Place } from './load-limit.ts'
import { parseRequestTarget } from './request-target.ts'
import { isOpenFeed, isStreamCall } from './stream-calls.ts'

/** What is known of a request. Made when its turn has come, filled while it is answered, read when it has ended. */
export type RequestRecord = RequestFindings & {
  readonly id: string
  readonly address: string
  readonly method: string
  /** The target as it came: Express takes parts off that of the request. */
  readonly url: string
  /** The page that the target is at or below; undefined for REST. */
  readonly page: string | undefined
  /** A stream of live updates stays open for hours, so its duration says nothing of speed; so does a call that waits. */
  isStream: boolean
  readonly begunMs: number
  /** The route as the specification spells it; of a page the method and the first part of its path; never what was sent. */
  operation: string | undefined
  trace: TracedRequest | undefined
  /** For malformed HTTP: the parser's error code, and the status that was written to the socket instead of a response. */
  malformed: { reason: string; status: number } | undefined
}
/** A request whose turn has come. */
export type IncomingRequest = {
  request: IncomingMessage
  response: ServerResponse
  caller: Caller
  record: RequestRecord
  /** Undefined for whoever asks after our health, and for a request that is refused because there was none. */
  place: Place | undefined
}
/** Called once for each request, when it has ended. */
export type RequestObserver = (record: RequestRecord, status: number, durationMs: number) => void

/** Status of a request whose connection ended before its answer. */
export const CLIENT_GONE = 499
/** The operation of a request that matches no route. */
export const NO_OPERATION = '(none)'

/** What may be answered with 429, as records name it: REST, and the pages that take a form or a call. */
export const limitedOperations: readonly string[] = [
  ...routes.map(({ operation }) => operation.route),
  ...formPages.map((path) => `POST ${path}`),
  'GET /trpc',
  'POST /trpc',
]

const PAGE_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']

/** Begins the record of a request, in which its caller notes what is found out. */
export function recordOf(request: IncomingMessage, caller: Caller): RequestRecord {
  const { method = '', url = '' } = request
  const page = pageRootOf(url)
  const record: RequestRecord = {
    id: caller.requestId,
    address: caller.address,
    method,
    url,
    page,
    isStream: isStreamCall(method, url) || isOpenFeed(request),
    begunMs: performance.now(),
    operation: page && `${PAGE_METHODS.includes(method) ? method : 'OTHER'} ${page}`,
    clientId: undefined,
    claimedClientId: undefined,
    isClaimKnown: undefined,
    credential: undefined,
    credentialId: undefined,
    problem: undefined,
    body: undefined,
    hasEnded: false,
    onEnd: undefined,
    trace: undefined,
    malformed: undefined,
  }
  caller.record = record
  return record
}

/** Calls the observers for a request that has ended, or that was dropped before its turn. */
export function tell(observers: readonly RequestObserver[], record: RequestRecord, status: number): void {
  endRequest(record)
  record.operation ??= operationAt(record)
  const durationMs = performance.now() - record.begunMs
  for (const observe of observers) observe(record, status, durationMs)
}

/** The status of a response that has closed. */
export function statusOf({ malformed }: RequestRecord, response: ServerResponse): number {
  return response.writableFinished ? response.statusCode : (malformed?.status ?? CLIENT_GONE)
}

/** For a request whose route was never looked up, because it was refused or dropped before. */
function operationAt({ method, url }: RequestRecord): string {
  try {
    return routeAt(method, parseRequestTarget(url).path)?.operation.route ?? NO_OPERATION
  } catch {
    return NO_OPERATION // no path at all
  }
}
