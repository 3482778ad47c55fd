import { TRPCError } from '@trpc/server'

import { admit } from '../domain/access/admission.ts'
import type { Principal } from '../domain/core/actor.ts'
import type { Caller } from '../domain/core/caller.ts'
import type { Context } from '../domain/core/context.ts'
import { Deadline } from '../domain/core/deadline.ts'
import { Problem } from '../domain/core/problem.ts'
import { liveness } from '../domain/health.ts'
import { faultOf, problemFrom } from '../routers/problem.ts'
import { answerFeed } from './feed.ts'
import { readBody } from './http/bodies/body.ts'
import { refuseForeign } from './http/foreign-names.ts'
import { isPreflight, preflightHeaders } from './http/headers.ts'
import { queryOf } from './http/query.ts'
import { rateHeaders } from './http/rate-headers.ts'
import { type IncomingRequest, NO_OPERATION } from './http/request-record.ts'
import { parseRequestTarget, type RequestTarget, unknownTarget } from './http/request-target.ts'
import {
  type ConstantAnswer,
  constantAnswer,
  failure,
  type RestResponse,
  send,
  sendConstant,
  success,
} from './http/response.ts'
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
type Constants = Map<string, { operation: string; answer: ConstantAnswer }>
type Exchange = IncomingRequest & { constants: Constants; target: RequestTarget; deadline: Deadline }

/** Answers REST: every path of the specification, and also those where nothing is. */
export function createRestHandler({ contextOf, publicUrl, report }: RestOptions) {
  const constants: Constants = new Map()

  return async function handleRest(incoming: IncomingRequest): Promise<void> {
    const { request, response, caller, record, place } = incoming
    const { id: requestId, url } = record
    const constant = constants.get(`${record.method} ${url}`)
    if (constant) {
      record.operation = constant.operation
      return sendConstant(response, requestId, constant.answer)
    }
    const [target, deadline] = [unknownTarget, new Deadline()]
    const exchange: Exchange = { request, response, caller, record, place, constants, target, deadline }
    const answer = await respond(contextOf(), exchange).catch((error: unknown) => {
      const problem = explain(error, caller)
      record.problem = problem
      return failure(problem, exchange.target, publicUrl)
    })
    const { credential } = record
    const rate = credential && rateHeaders(credential, answer.exceeded)
    send(response, { path: exchange.target.path, requestId, publicUrl }, answer, rate)
  }

  function explain(error: unknown, caller: Caller): Problem {
    if (error instanceof Problem) return error
    const failed = error instanceof TRPCError ? error : new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: error })
    const problem = problemFrom(failed)
    const fault = faultOf(failed)
    const isForNobody = problem.status === 503 && caller.record?.hasEnded
    if (fault !== undefined && !isForNobody) report(fault, caller)
    return problem
  }
}

/** Route, credential, scope, body, procedure: in this order, because each is answered before the next is looked at. */
async function respond(context: Context | undefined, exchange: Exchange): Promise<RestResponse> {
  const { record, caller, constants, deadline } = exchange
  record.operation = NO_OPERATION
  const target = parseRequestTarget(record.url)
  exchange.target = target
  if (record.method === 'OPTIONS') return options(exchange)
  const route = findRoute(record.method, target.path)
  const operation = route.operation.route
  record.operation = operation
  if (!context) return unready(route, target)
  if (route.operation.envelope === 'feed') return answerFeed(context, exchange, route)
  const principal = route.access && (await deadline.within(admit(context, route.access, caller)))
  const answer = await run(context, exchange, route, principal)
  if (route.operation.isConstant && record.url === target.path) {
    constants.set(`${record.method} ${target.path}`, {
      operation,
      answer: constantAnswer(target.path, context.publicUrl, answer),
    })
  }
  return answer
}

/** Reads the input and calls the procedure: at most once per `Idempotency-Key`, where there is one. */
async function run(context: Context, exchange: Exchange, route: RestRoute, principal?: Principal) {
  const { request, target, caller, record, deadline, place } = exchange
  const { operation, form, access } = route
  const query = queryOf(target, route)
  const body = form && (await readBody(request, form, place))
  record.body = body
  if (body) refuseForeign(route, body)
  const call = async (within: Context): Promise<RestResponse> => {
    const { json, next } = await dispatch({
      route,
      path: target.path,
      query,
      body,
      context: { caller, principal, ...within }, // spread first, the same object takes V8 10 µs longer
    })
    return success(operation, json, next, target)
  }
  const attempt = principal && body && idempotentRequestOf(request, operation.route, principal, body)
  const called = attempt
    ? runOnce({ ...context, principal, caller }, attempt, { route, body, run: call })
    : call(context)
  return access?.kind === 'cron' ? called : deadline.within(called) // cron has a time budget of its own
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
