import type { IncomingMessage } from 'node:http'
import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express'
import type { Caller, Context } from '../../domain/core/context.ts'
import { databaseProblem } from '../../domain/core/database-problem.ts'
import { Problem } from '../../domain/core/problem.ts'
import { eventSchemas } from '../../domain/events/types.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { commonHeaders } from '../http/headers.ts'
import type { IncomingRequest } from '../http/request-record.ts'
import { sendProblem } from '../http/response.ts'
import { createDocument } from '../openapi/document.ts'
import { allow } from './allow.ts'
import { authPages } from './auth/auth-pages.ts'
import type { CallerOf } from './auth/page-context.ts'
import { consolePages } from './console.ts'
import { guidePages, llmsText } from './docs/guides.ts'
import { referencePages } from './docs/reference.ts'
import { metadataPages } from './metadata.ts'
import { type PagePath, pages } from './table.ts'
import { trpcPages } from './trpc.ts'

type PagesOptions = { contextOf: () => Context | undefined; log: Logger; publicUrl: string }

type Callers = WeakMap<IncomingMessage, Caller>

/** What is for browsers and for the typed client: pages, the document, /trpc. Never the paths of the specification. */
export function createPages({ contextOf, log, publicUrl }: PagesOptions) {
  const callers: Callers = new WeakMap()
  let app: Express | undefined

  return ({ request, response, caller }: IncomingRequest) => {
    const context = contextOf()
    for (const [name, value] of Object.entries(commonHeaders(caller.requestId, publicUrl)))
      response.setHeader(name, value)
    callers.set(request, caller)
    if (!context) return sendProblem(response, starting(), { requestId: caller.requestId, publicUrl })
    app ??= createApp(context, callers, (error) => log.error({ err: error }, 'Page request failed'))
    return app(request, response)
  }
}

function createApp(context: Context, callers: Callers, report: (error: unknown) => void): Express {
  const callerOf = (request: IncomingMessage) => {
    const caller = callers.get(request)
    if (!caller) throw new Error('A page was asked for without a caller')
    return caller
  }
  const app = express().disable('x-powered-by').use(allow)
  const mounts = pageRouters(context, callerOf)
  for (const { path } of pages) app.use(path, mounts[path])

  const placeOf = (request: IncomingMessage) => ({
    requestId: callerOf(request).requestId,
    publicUrl: context.publicUrl,
  })
  app.use((request, response) => {
    sendProblem(response, new Problem('not_found', 'There is nothing at this path.'), placeOf(request))
  })
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    sendProblem(response, explain(error, report), placeOf(request))
  }
  return app.use(onError)
}

function pageRouters(context: Context, callerOf: CallerOf): Record<PagePath, RequestHandler> {
  const { publicUrl } = context
  return {
    ...authPages(context, callerOf),
    ...metadataPages(context),
    '/console': consolePages(context),
    '/docs': Router().use('/guides', guidePages(publicUrl)).use(referencePages()),
    '/events/schemas.json': openJson(eventSchemas()),
    '/llms.txt': Router().get('/', (_request, response) => void response.type('text').send(llmsText(publicUrl))),
    '/openapi.json': openJson(createDocument(publicUrl)),
    '/trpc': trpcPages(context, callerOf),
  }
}

/** A document that any website may read. */
function openJson(document: object): Router {
  const json = JSON.stringify(document)
  return Router().get('/', (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').type('json').send(json)
  })
}

/** Express sets a status on errors that the client caused; any other error is a fault of ours. */
function explain(error: unknown, report: (error: unknown) => void): Problem {
  if (error instanceof Problem) return error
  const known = databaseProblem(error)
  if (known) return known
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status >= 400 && status < 500) return new Problem('invalid_request', 'The request is not well-formed.')
  report(error)
  return new Problem('internal_error', 'Something went wrong on our side. Tell us the X-Request-Id of this answer.')
}

const starting = () => new Problem('unavailable', 'The service is starting; try again in a moment.', { retryAfterS: 1 })
