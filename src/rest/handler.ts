import type { IncomingMessage } from 'node:http'
import { TRPCError } from '@trpc/server'

import { admit } from '../domain/access/admission.ts'
import type { Principal } from '../domain/core/actor.ts'
import type { Caller, Context } from '../domain/core/context.ts'
import { withinDeadline } from '../domain/core/deadline.ts'
import { Problem } from '../domain/core/problem.ts'
import { rateLimits } from '../domain/core/rate-limits.ts'
import { liveness } from '../domain/health.ts'
import { secretParameters } from '../domain/oauth/grants-table.ts'
import { problemFrom } from '../routers/problem.ts'
import { readBody } from './http/body.ts'
import { headersOfRate, isPreflight, preflightHeaders } from './http/headers.ts'
import { type IncomingRequest, NO_OPERATION } from './http/request-record.ts'
import { parseRequestTarget, type RequestTarget, unknownTarget } from './http/request-target.ts'
import { failure, type RestResponse, send, success } from './http/response.ts'
import { idempotentRequestOf, runOnce } from './idempotency.ts'
import { allowedMethods, findRoute, type RestRoute, routesAt } from './openapi/routes.ts'
import { dispatch } from './openapi/trpc-to-openapi.ts'

export type RestOptions = {
  /** The service, once it can answer; until then everything but the liveness check is 503. */
  contextOf: () => Context | undefined
  publicUrl: string
  /** Called for failures that are ours. */
  report: (error: unknown, caller: Caller) => void
}
/** Answers that stay the same while the process runs, by the method and target of the request. */
type Constants = Map<string, { operation: string; answer: RestResponse }>
type Exchange = IncomingRequest & { constants: Constants; target: RequestTarget }

/** Answers REST: every path of the specification, and also those where nothing is. */
export function createRestHandler({ contextOf, publicUrl, report }: RestOptions) {
  const constants: Constants = new Map()

  return async function handleRest(incoming: IncomingRequest): Promise<void> {
    const { request, response, caller, record } = incoming
    const { id: requestId, url } = record
    const constant = constants.get(`${record.method} ${url}`)
    if (constant) {
      record.operation = constant.operation
      return send(response, { path: url, requestId, publicUrl }, constant.answer)
    }
    const exchange: Exchange = { request, response, caller, record, constants, target: unknownTarget }
    const work = respond(contextOf(), exchange)
    // the clock's door has a time budget of its own
    const answer = await (url.startsWith('/cron/') ? work : withinDeadline(work)).catch((error: unknown) =>
      failure(explain(error, caller), exchange.target, publicUrl),
    )
    const { credential } = record
    const rate = credential && headersOfRate(credential.rate, rateLimits.credential.windowS)
    send(response, { path: exchange.target.path, requestId, publicUrl }, answer, rate)
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
  const { record, caller, constants } = exchange
  record.operation = NO_OPERATION
  const target = parseRequestTarget(record.url)
  exchange.target = target
  if (record.method === 'OPTIONS') return options(exchange)
  const route = findRoute(record.method, target.path)
  const operation = route.operation.route
  record.operation = operation
  if (!context) return unready(route, target)
  const principal = route.access && (await admit(context, route.access, caller))
  const answer = await run(context, exchange, route, principal)
  if (route.operation.isConstant && record.url === target.path) {
    constants.set(`${record.method} ${target.path}`, { operation, answer })
  }
  return answer
}

/** Reads the input and calls the procedure: at most once per `Idempotency-Key`, where there is one. */
async function run(context: Context, { request, target, caller }: Exchange, route: RestRoute, principal?: Principal) {
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
      context: { caller, principal, ...within }, // spread first, the same object takes V8 10 µs longer
    })
    return success(operation, json, next, target)
  }
  const attempt = principal && body && idempotentRequestOf(request, operation.route, principal, body)
  return attempt ? runOnce(context, attempt, call) : call(context)
}

/** Whether an operation reads anything but parts of its path. */
const takesInput = ({ operation, fields }: RestRoute) => fields.some((name) => !operation.path.includes(`{${name}}`))

/** Checks numbers as they were written: ` 5`, `0x5` and `5e0` are refused too, and the message names the field. */
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
