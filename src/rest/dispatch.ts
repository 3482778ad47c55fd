import type { TRPCError } from '@trpc/server'
import { createOpenApiNodeHttpHandler } from 'trpc-to-openapi'
import type { Page } from '../domain/paging.ts'
import { appRouter } from '../routers/index.ts'
import { type Call, LightRequest, LightResponse, takeCursor } from './light.ts'

type Settled = { ctx: { light: LightRequest } | undefined; data: unknown[]; errors: unknown[] }

/** trpc-to-openapi finds the procedure by method and path, checks input and output, and calls it. Made once. */
const handle = createOpenApiNodeHttpHandler({
  router: appRouter,
  createContext: ({ req }: { req: LightRequest }) => ({ ...req.context, light: req }),
  responseMeta: ({ ctx, data: [result], errors }: Settled) => {
    const isPage = ctx?.light.operation.envelope === 'page' && errors.length === 0
    if (isPage) ctx.light.next = takeCursor(result as Page<unknown>)
    return {}
  },
  onError: ({ error, req }: { error: TRPCError; req: LightRequest }) => {
    req.failure = error
  },
} as never) as unknown as (request: LightRequest, response: LightResponse) => Promise<void>

/** Calls the procedure of an operation. Resolves to its result as JSON and, for a list, the cursor of the next page. */
export async function dispatch(call: Call): Promise<{ json: string | undefined; next: string | null }> {
  const request = new LightRequest(call)
  const response = new LightResponse()
  await handle(request, response)
  if (request.failure) throw request.failure
  return { json: response.json, next: request.next }
}
