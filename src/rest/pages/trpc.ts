import type { IncomingMessage } from 'node:http'
import type { TRPCError } from '@trpc/server'
import { type NodeHTTPHandlerOptions, nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http'
import type { Request, RequestHandler, Response } from 'express'
import type { Caller } from '../../domain/core/caller.ts'
import type { Context } from '../../domain/core/context.ts'
import type { Problem } from '../../domain/core/problem.ts'
import { appRouter } from '../../routers/index.ts'
import { faultOf, problemFrom } from '../../routers/problem.ts'
import { CALL_BATCH_MAX } from '../../shared/limits.ts'
import { requireTextIn } from '../http/query.ts'
import type { IncomingRequest } from '../http/request-record.ts'
import { searchOf } from '../http/request-target.ts'
import { headersOfProblem } from '../http/response.ts'
import { calledNameIn, namesStream } from '../http/stream-calls.ts'
import { challengeOf } from '../http/www-authenticate.ts'
import { serveStreamCall, streamHeaders } from '../live/stream-call.ts'
import type { CallerOf } from './auth/page-context.ts'
import { sessionOf } from './auth/session-cookie.ts'
import type { ReadText } from './read-text.ts'

type Options = NodeHTTPHandlerOptions<typeof appRouter, Request, Response>

/** /trpc, for our own pages, the command line and anybody's typed client: the same procedures behind the same checks. */
export function trpcPages(context: Context, callerOf: CallerOf, read: ReadText): RequestHandler {
  const report = reporter(context)
  const options: Options = {
    router: appRouter,
    maxBatchSize: CALL_BATCH_MAX, // unlimited by default
    middleware: readBody(read),
    createContext: ({ req }) => contextOfCall(context, callerOf(req), req),
    responseMeta: ({ errors }) => ({ headers: headersOf(errors.map(problemFrom), context.publicUrl) }),
    onError: ({ error, path }) => report(error, path),
  }
  return (req, res) => {
    const path = calledNameIn(req.originalUrl)
    if (namesStream(req.originalUrl) && req.method === 'HEAD') return void res.writeHead(200, streamHeaders).end()
    if (req.method === 'HEAD') req.method = 'GET' // for tRPC, which answers any HEAD with 204; Node leaves the body out
    return nodeHTTPRequestHandler({ ...options, req, res, path })
  }
}

/** Answers calls of /trpc that open a stream, past Express: what that keeps of each request is more than all else of a silent stream. */
export function trpcStreams(context: Context): (incoming: IncomingRequest) => Promise<void> {
  const report = reporter(context)
  return ({ request, response, caller, record }) => {
    const name = decodeURIComponent(calledNameIn(record.url))
    return serveStreamCall({ name, request, response, ctx: contextOfCall(context, caller, request) }, report)
  }
}

const contextOfCall = (context: Context, caller: Caller, request: IncomingMessage) => ({
  ...context,
  caller: { ...caller, ...sessionOf(request, context.publicUrl) },
})

const reporter =
  ({ log }: Context) =>
  (error: TRPCError, path: string | undefined) => {
    const fault = faultOf(error)
    if (fault !== undefined) log.error({ err: fault, path }, 'tRPC call failed')
  }

/** tRPC takes what it finds in `body` for the body, and shows a failure to read that in its own shape. */
const readBody =
  (readText: ReadText): NonNullable<Options['middleware']> =>
  (request, _response, next) => {
    const read = async () => {
      requireTextIn(searchOf(request.originalUrl))
      if (request.method === 'POST') request.body = await readText(request)
    }
    read().then(() => next(), next)
  }

/** The headers that REST would send, for the first failed call of a batch. Answers are for one caller and never cached. */
function headersOf([problem]: readonly Problem[], publicUrl: string): Record<string, string> {
  const challenge = problem && challengeOf(problem, false, publicUrl)
  return {
    'Cache-Control': 'no-store',
    ...(problem && { 'Content-Type': 'application/json' }), // tRPC leaves it out where it refuses the type of the body
    ...(challenge && { 'WWW-Authenticate': challenge }),
    ...(problem && headersOfProblem(problem)),
  }
}
