import type { IncomingMessage } from 'node:http'
import { createExpressMiddleware } from '@trpc/server/adapters/express'
import type { Caller, Context } from '../../domain/context.ts'
import { appRouter } from '../../routers/index.ts'
import { sessionOf } from './session-cookie.ts'

const BODY_BYTES_MAX = 64 * 1024
const BATCH_MAX = 10

/** /trpc, for our own pages, the command line and anybody's typed client: the same procedures behind the same checks. */
export function trpcPages(context: Context, callerOf: (request: IncomingMessage) => Caller) {
  return createExpressMiddleware({
    router: appRouter,
    maxBodySize: BODY_BYTES_MAX, // unlimited unless told, as is the next
    maxBatchSize: BATCH_MAX,
    createContext: ({ req }) => ({
      ...context,
      caller: { ...callerOf(req), session: sessionOf(req, context.publicUrl) },
    }),
    onError: ({ error, path }) => {
      if (error.code === 'INTERNAL_SERVER_ERROR')
        context.log.error({ err: error.cause ?? error, path }, 'a call failed')
    },
  })
}
