import type { IncomingMessage } from 'node:http'
import { createExpressMiddleware } from '@trpc/server/adapters/express'
import type { Caller, Context } from '../../domain/core/context.ts'
import type { Problem } from '../../domain/core/problem.ts'
import { appRouter } from '../../routers/index.ts'
import { problemFrom } from '../../routers/problem.ts'
import { CALL_BATCH_MAX } from '../../shared/limits.ts'
import { challengeOf } from '../http/www-authenticate.ts'
import { sessionOf } from './auth/session-cookie.ts'

const BODY_BYTES_MAX = 64 * 1024

/** /trpc, for our own pages, the command line and anybody's typed client: the same procedures behind the same checks. */
export function trpcPages(context: Context, callerOf: (request: IncomingMessage) => Caller) {
  return createExpressMiddleware({
    router: appRouter,
    maxBodySize: BODY_BYTES_MAX, // unlimited by default, as is the next
    maxBatchSize: CALL_BATCH_MAX,
    createContext: ({ req }) => ({
      ...context,
      caller: { ...callerOf(req), session: sessionOf(req, context.publicUrl) },
    }),
    responseMeta: ({ errors }) => ({ headers: headersOf(errors.map(problemFrom), context.publicUrl) }),
    onError: ({ error, path }) => {
      const { status, code } = problemFrom(error)
      if (context.stopping.aborted && code === 'unavailable') return // this is how live streams are ended
      if (status >= 500) context.log.error({ err: error.cause ?? error, path }, 'tRPC call failed')
    },
  })
}

/** The headers that REST would send, for the first failed call of a batch. Answers are for one caller and never cached. */
function headersOf([problem]: readonly Problem[], publicUrl: string): Record<string, string> {
  const challenge = problem && challengeOf(problem, false, publicUrl)
  const { retryAfterS } = problem?.details ?? {}
  return {
    'Cache-Control': 'no-store',
    ...(challenge && { 'WWW-Authenticate': challenge }),
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
  }
}
