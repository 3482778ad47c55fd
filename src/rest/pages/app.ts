import type { IncomingMessage, ServerResponse } from 'node:http'
import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express'
import type { Context } from '../../domain/core/context.ts'
import { databaseProblem } from '../../domain/core/database-problem.ts'
import { Problem } from '../../domain/core/problem.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { commonHeaders } from '../http/headers.ts'
import type { IncomingRequest } from '../http/request-record.ts'
import { rawPathOf } from '../http/request-target.ts'
import { sendProblem } from '../http/response.ts'
import { allow } from './allow.ts'
import { authPages } from './auth/auth-pages.ts'
import type { CallerOf } from './auth/page-context.ts'
import { consolePages } from './console.ts'
import { guidePages, llmsText } from './docs/guides.ts'
import { referencePages } from './docs/reference.ts'
import { type DocumentPath, documentPages, type PublishedDocuments } from './documents.ts'
import { exportPage } from './export.ts'
import { mcpPages } from './mcp.ts'
import { metadataPages } from './metadata.ts'
import { overlayPages } from './overlay.ts'
import { type ReadText, readText } from './read-text.ts'
import { asksDatabase, type PagePath, pages } from './table.ts'
import { thumbnailPages } from './thumbnails.ts'
import { trpcPages, trpcStreams } from './trpc.ts'

type PagesOptions = {
  contextOf: () => Context | undefined
  log: Logger
  publicUrl: string
  documents: PublishedDocuments
}

/** What is known of each request that Express is given. */
type Arrivals = WeakMap<IncomingMessage, IncomingRequest>

/**
 * What is for browsers and for the typed client: pages, the document, /trpc. Never the paths of the specification. What it
 * returns resolves when the work for a request has ended, also where nobody is left to read the answer.
 */
export function createPages({ contextOf, log, publicUrl, documents }: PagesOptions) {
  const arrivals: Arrivals = new WeakMap()
  let app: Express | undefined
  let openStream: ReturnType<typeof trpcStreams> | undefined

  return async (incoming: IncomingRequest): Promise<void> => {
    const { request, response, caller, record } = incoming
    const context = contextOf()
    for (const [name, value] of Object.entries(commonHeaders(caller.requestId, publicUrl)))
      response.setHeader(name, value)
    arrivals.set(request, incoming)
    if (!context) {
      return sendProblem(response, starting(), { path: rawPathOf(record.url), requestId: caller.requestId, publicUrl })
    }
    openStream ??= trpcStreams(context)
    if (record.isStream) return openStream(incoming)
    app ??= createApp(context, { documents, arrivals, log })
    const worked = asksDatabase(record.page) ? answered(response) : undefined
    app(request, response)
    await worked
  }
}

/**
 * Resolves when an answer is given, which Node tells of by `finish` only where somebody reads it; a stream is given once its head
 * was sent and its reader has left.
 */
function answered(response: ServerResponse): Promise<void> {
  const { end } = response
  return new Promise((resolve) => {
    response.once('close', () => response.headersSent && resolve())
    response.end = (...given: unknown[]) => {
      resolve()
      return Reflect.apply(end, response, given)
    }
  })
}

type AppParts = Pick<PagesOptions, 'documents' | 'log'> & { arrivals: Arrivals }

function createApp(context: Context, { documents, arrivals, log }: AppParts): Express {
  const arrivalOf = (request: IncomingMessage) => {
    const arrival = arrivals.get(request)
    if (!arrival) throw new Error('A page was asked for by a request that has not arrived')
    return arrival
  }
  const callerOf = (request: IncomingMessage) => arrivalOf(request).caller
  const placeOf = (request: IncomingMessage) => {
    const { caller, record } = arrivalOf(request)
    return { path: rawPathOf(record.url), requestId: caller.requestId, publicUrl: context.publicUrl }
  }
  const read: ReadText = (request) => readText(request, arrivalOf(request).place)
  const mounts = { ...pageRouters(context, callerOf, read), ...documentPages(documents) }
  const nothing: RequestHandler = (request, response) =>
    sendProblem(response, new Problem('not_found', 'There is nothing at this path.'), placeOf(request))
  const app = express().disable('x-powered-by')
  if (context.signup === 'closed') app.use('/signup', nothing)
  app.use(allow)
  for (const { path } of pages) app.use(path, mounts[path])
  app.use(nothing)

  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    sendProblem(response, explain(error, log), placeOf(request))
    response.end() // nothing was sent where the head was already, or where nobody is left
  }
  return app.use(onError)
}

function pageRouters(
  context: Context,
  callerOf: CallerOf,
  read: ReadText,
): Record<Exclude<PagePath, DocumentPath>, RequestHandler> {
  const { publicUrl } = context
  return {
    ...authPages(context, callerOf, read),
    ...metadataPages(context),
    '/console': consolePages(context),
    '/docs': Router()
      .use(
        '/guides',
        whenAsked(() => guidePages(publicUrl)),
      )
      .use(referencePages(context)),
    '/export': exportPage(context, callerOf),
    '/llms.txt': Router().get('/', (_request, response) => void response.type('text').send(llmsText(publicUrl))),
    '/overlay/chat': overlayPages(),
    '/thumbnails': thumbnailPages(context),
    '/mcp': mcpPages(context, callerOf, read),
    '/trpc': trpcPages(context, callerOf, read),
  }
}

/** What takes long to make is made at the first request for it, so that who asks for another page does not wait for it. */
function whenAsked(create: () => RequestHandler): RequestHandler {
  let handler: RequestHandler | undefined
  return (request, response, next) => {
    handler ??= create()
    return handler(request, response, next)
  }
}

/** Express sets a status on errors that the client caused; any other error is a fault of ours. */
function explain(error: unknown, log: Logger): Problem {
  if (error instanceof Problem) return error
  const known = databaseProblem(error)
  if (known) return known
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status >= 400 && status < 500) return new Problem('invalid_request', 'The request is not well-formed.')
  log.error({ err: error }, 'Page request failed')
  return new Problem('internal_error', 'Something went wrong on our side. Tell us the X-Request-Id of this answer.')
}

const starting = () => new Problem('unavailable', 'The service is starting; try again in a moment.', { retryAfterS: 1 })
