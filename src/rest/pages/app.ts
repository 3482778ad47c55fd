import type { IncomingMessage } from 'node:http'
import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Caller, Context } from '../../domain/core/context.ts'
import { databaseProblem } from '../../domain/core/database-problem.ts'
import { Problem } from '../../domain/core/problem.ts'
import { eventSchemas } from '../../domain/events/types.ts'
import { commonHeaders } from '../http/headers.ts'
import type { IncomingRequest } from '../http/request-record.ts'
import { refuse } from '../http/response.ts'
import type { ServerOptions } from '../http/server.ts'
import { createDocument } from '../openapi/document.ts'
import { authPages } from './auth/auth-pages.ts'
import { consolePages } from './console.ts'
import { guidePages, llmsText } from './docs/guides.ts'
import { referencePages } from './docs/reference.ts'
import { metadataPages } from './metadata.ts'
import { allowedAlone } from './methods.ts'
import { trpcPages } from './trpc.ts'

type Callers = WeakMap<IncomingMessage, Caller>

/** What is for browsers and for the typed client: pages, the document, /trpc. Never the paths of the specification. */
export function createPages({ contextOf, log, publicUrl }: ServerOptions) {
  const callers: Callers = new WeakMap()
  let app: Express | undefined

  return ({ request, response, caller }: IncomingRequest) => {
    const context = contextOf()
    for (const [name, value] of Object.entries(commonHeaders(caller.requestId, publicUrl)))
      response.setHeader(name, value)
    callers.set(request, caller)
    if (!context) return refuse(response, starting(), { requestId: caller.requestId, publicUrl })
    app ??= createApp(context, callers, (error) => log.error({ err: error }, 'a page failed'))
    return app(request, response)
  }
}

function createApp(context: Context, callers: Callers, report: (error: unknown) => void): Express {
  const callerOf = (request: IncomingMessage) => {
    const caller = callers.get(request)
    if (!caller) throw new Error('A page was asked past its door')
    return caller
  }
  const document = JSON.stringify(createDocument(context.publicUrl))
  const schemas = JSON.stringify(eventSchemas())
  const serve = (path: string, json: string) =>
    app.get(path, (_request, response) => void response.set('Access-Control-Allow-Origin', '*').type('json').send(json))

  const app = express().disable('x-powered-by').use(allowedAlone)
  serve('/openapi.json', document)
  serve('/events/schemas.json', schemas)
  app.get('/llms.txt', (_request, response) => void response.type('text').send(llmsText(context.publicUrl)))
  app.use('/docs/guides', guidePages(context.publicUrl))
  app.use('/docs', referencePages())
  app.use('/console', consolePages(context))
  app.use('/trpc', trpcPages(context, callerOf))
  app.use(metadataPages(context), authPages(context, callerOf))
  const placeOf = (request: IncomingMessage) => ({
    requestId: callerOf(request).requestId,
    publicUrl: context.publicUrl,
  })
  app.use((request, response) => {
    refuse(response, new Problem('not_found', 'There is nothing at this path.'), placeOf(request))
  })
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    refuse(response, explain(error, report), placeOf(request))
  }
  return app.use(onError)
}

/** Express gives what the client did wrong a status of its own; anything else is a fault of ours. */
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
