import type { IncomingMessage, ServerResponse } from 'node:http'
import { TRPCError } from '@trpc/server'

import { type Admission, admit } from '../domain/access/admission.ts'
import type { Caller, Context } from '../domain/core/context.ts'
import { Problem } from '../domain/core/problem.ts'
import { rateLimits } from '../domain/core/rate-limits.ts'
import { liveness } from '../domain/health.ts'
import { secretParameters } from '../domain/oauth/grants-table.ts'
import { problemFrom } from '../routers/problem.ts'
import { readBody } from './http/body.ts'
import { headersOfRate, isPreflight, preflightHeaders } from './http/headers.ts'
import { parseRequestTarget, type RequestTarget, unknownTarget } from './http/request-target.ts'
import { failure, type RestResponse, send, success } from './http/response.ts'
import { withinDeadline } from './http/timeout.ts'
import { idempotentRequestOf, runOnce } from './idempotency.ts'
import { allowedMethods, findRoute, type RestRoute, routesAt } from './openapi/routes.ts'
import { dispatch } from './openapi/trpc-to-openapi.ts'

export type RestOptions = {
  /** The service, once it can answer; until then everything but the liveness check is 503. */
  contextOf: () => Context | undefined
  publicUrl: string
  /** Hears of failures that are ours. */
  report: (error: unknown, caller: Caller) => void
}
/** Answers that do not change, once they were given, by what was asked word for word. */
type Constants = Map<string, { operation: string; answer: RestResponse }>
type Exchange = {
  request: IncomingMessage
  constants: Constants
  target: RequestTarget
  caller: Caller
  /** Where the credential stands in its limit, known once it was admitted. */
  rate: Admission['rate'] | undefined
  /** The application that asks, known from then on as well. */
  clientId: string | undefined
  operation: string
}

/** The REST door: one function for every path of the specification, also for those where nothing is. */
export function createRestHandler({ contextOf, publicUrl, report }: RestOptions) {
  const constants: Constants = new Map()

  return async function handleRest(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> {
    const { url = '' } = request
    const constant = constants.get(`${request.method} ${url}`)
    if (constant) {
      noteOperation(caller, constant.operation)
      return send(response, { path: url, requestId: caller.requestId, publicUrl }, constant.answer)
    }
    const begun = performance.now()
    const context = contextOf()
    const unknown = { target: unknownTarget, rate: undefined, clientId: undefined, operation: '' }
    const exchange: Exchange = { request, constants, caller, ...unknown }
    const answer = await respond(context, exchange).catch((error: unknown) => {
      const problem = explain(error, caller)
      exchange.rate ??= problem.details.rate
      exchange.clientId ??= problem.details.clientId
      return failure(problem, exchange.target, publicUrl)
    })
    const rate = exchange.rate && headersOfRate(exchange.rate, rateLimits.credential.windowS)
    send(response, { path: exchange.target.path, requestId: caller.requestId, publicUrl }, answer, rate)
    const { clientId, operation } = exchange
    if (clientId) context?.usage.count(clientId, operation, answer.status, performance.now() - begun)
  }

  function explain(error: unknown, caller: Caller): Problem {
    if (error instanceof Problem) return error
    const failed = error instanceof TRPCError ? error : new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: error })
    const problem = problemFrom(failed)
    if (problem.status >= 500) report(problem.cause ?? error, caller)
    return problem
  }
}

/** Route, credential, scope, body, procedure: in this order, because each is answered before the next is looked at. */
async function respond(context: Context | undefined, exchange: Exchange): Promise<RestResponse> {
  const { request, caller } = exchange
  const target = parseRequestTarget(request.url ?? '')
  exchange.target = target
  if (request.method === 'OPTIONS') return options(exchange)
  const route = findRoute(request.method ?? '', target.path)
  if (!context) return unready(route, target)
  exchange.operation = route.operation.route
  noteOperation(caller, exchange.operation)
  const admission = route.access && (await admit(context, route.access, caller))
  exchange.rate = admission?.rate
  exchange.clientId = admission?.principal.clientId ?? undefined
  const answer = await run(context, exchange, route, admission)
  if (route.operation.isConstant && request.url === target.path) {
    exchange.constants.set(`${request.method} ${target.path}`, { operation: exchange.operation, answer })
  }
  return answer
}

function noteOperation({ trail }: Caller, operation: string) {
  if (trail) trail.operation = operation
}

/** Reads the input and calls the procedure: at most once per `Idempotency-Key`, where there is one. */
async function run(context: Context, { request, target, caller }: Exchange, route: RestRoute, admitted?: Admission) {
  const { operation, form } = route
  if (target.search.includes('%00') && takesInput(route)) {
    throw new Problem('invalid_request', 'query: must not contain NUL.')
  }
  const body = form && (await bodyOf(request, target, route))
  const call = async (within: Context): Promise<RestResponse> => {
    const { json, next } = await dispatch({
      route,
      path: target.path,
      query: form ? {} : queryOf(target, route),
      body,
      context: { caller, admitted, principal: admitted?.principal, ...within }, // in the other order V8 takes 10 µs
    })
    return success(operation, json, next, target)
  }
  const attempt = admitted && body && idempotentRequestOf(request, operation.route, admitted.principal, body)
  return withinDeadline(operation, attempt ? runOnce(context, attempt, call) : call(context))
}

/** Whether anything but a part of the path is read. */
const takesInput = ({ operation, fields }: RestRoute) => fields.some((name) => !operation.path.includes(`{${name}}`))

/** Else ` 5`, `0x5` and `5e0` would be numbers, and `five` would not be one that anybody named. */
function queryOf({ search, query }: RequestTarget, { numbers }: RestRoute) {
  const wrong = search && numbers.find((name) => typeof query[name] === 'string' && !/^-?\d{1,15}$/.test(query[name]))
  if (wrong) throw new Problem('invalid_request', `${wrong}: must be a whole number.`)
  return query
}

/**
 * A secret does not belong in an address, where logs would keep it: a field of the body is refused there, and at an OAuth
 * endpoint so is a secret of another one.
 */
async function bodyOf(
  request: IncomingMessage,
  { search, query }: RequestTarget,
  { operation, form, fields }: RestRoute,
) {
  if (!form) return undefined
  const isOAuthEndpoint = operation.path.startsWith('/oauth/')
  const misplaced = search && [...fields, ...(isOAuthEndpoint ? secretParameters : [])].find((name) => name in query)
  if (misplaced) throw new Problem('invalid_request', `${misplaced}: belongs in the body, not in the address.`)
  return readBody(request, form)
}

function options({ request, target: { path } }: Exchange): RestResponse {
  const allow = allowedMethods(routesAt(path)).join(', ')
  if (isPreflight(path, request.headers['access-control-request-method'])) {
    return { status: 204, headers: { ...preflightHeaders, ...(allow && { Allow: allow }) } }
  }
  if (!allow) throw new Problem('not_found', 'There is nothing at this path.')
  return { status: 204, headers: { Allow: allow } }
}

function unready({ operation }: RestRoute, target: RequestTarget): RestResponse {
  if (operation.route === 'GET /health/') return success(operation, JSON.stringify(liveness), null, target)
  throw new Problem('unavailable', 'The service is starting; try again in a moment.', { retryAfterS: 1 })
}
