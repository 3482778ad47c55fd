import type { TRPCError } from '@trpc/server'
import { type NodeHTTPHandlerOptions, nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http'
import type { Request, RequestHandler, Response } from 'express'
import type { Context } from '../../domain/core/context.ts'
import type { Problem } from '../../domain/core/problem.ts'
import { appRouter } from '../../routers/index.ts'
import { problemFrom } from '../../routers/problem.ts'
import { CALL_BATCH_MAX } from '../../shared/limits.ts'
import { requireTextIn } from '../http/query.ts'
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
  const contextFor = (request: Request) => ({
    ...context,
    caller: { ...callerOf(request), ...sessionOf(request, context.publicUrl) },
  })
  const report = (error: TRPCError, path: string | undefined) => {
    const { status, code } = problemFrom(error)
    if (context.stopping.aborted && code === 'unavailable') return // this is how live streams are ended
    if (status >= 500) context.log.error({ err: error.cause ?? error, path }, 'tRPC call failed')
  }
  const options: Options = {
    router: appRouter,
    maxBatchSize: CALL_BATCH_MAX, // unlimited by default
    middleware: readBody(read),
    createContext: ({ req }) => contextFor(req),
    responseMeta: ({ errors }) => ({ headers: headersOf(errors.map(problemFrom), context.publicUrl) }),
    onError: ({ error, path }) => report(error, path),
  }
  return (req, res) => {
    const path = calledNameIn(req.originalUrl)
    const isStream = namesStream(req.originalUrl)
    if (isStream && req.method === 'HEAD') return void res.writeHead(200, streamHeaders).end()
    if (req.method === 'HEAD') req.method = 'GET' // for tRPC, which answers any HEAD with 204; Node leaves the body out
    if (!isStream || req.method !== 'GET') return nodeHTTPRequestHandler({ ...options, req, res, path })
    const name = decodeURIComponent(path)
    const call = { name, request: req, response: res, ctx: contextFor(req) }
    return serveStreamCall(call, report)
  }
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
