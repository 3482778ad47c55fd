import type { TRPCError } from '@trpc/server'
import { createOpenApiNodeHttpHandler } from 'trpc-to-openapi'
import { appRouter } from '../../routers/index.ts'
import { type Call, LightRequest, LightResponse } from './light-request.ts'
import { type RestRoute, routes } from './routes.ts'

type Handle = (request: LightRequest, response: LightResponse) => Promise<void>

/**
 * A handler of trpc-to-openapi for one operation: it makes the input of path, query or body, coerces it, has the procedure
 * called, and writes the JSON. Given a router of this one procedure it does not search, and calls without tRPC's proxies.
 */
function handlerOf({ procedure }: RestRoute): Handle {
  const router = {
    _def: { ...appRouter._def, procedures: { called: procedure } },
    createCaller: (request: LightRequest) => ({ called: (input: unknown) => request.call(input) }),
  }
  return createOpenApiNodeHttpHandler({
    router,
    createContext: ({ req }: { req: LightRequest }) => req,
    onError: ({ error, req }: { error: TRPCError; req: LightRequest }) => {
      req.failure = error
    },
  } as never) as unknown as Handle
}

const handlers = new Map(routes.map((route) => [route, handlerOf(route)]))

/** Calls the procedure of an operation. Resolves to its result as JSON and, for a list, the cursor of the next page. */
export async function dispatch(call: Call): Promise<{ json: string | undefined; next: string | null }> {
  const request = new LightRequest(call)
  const response = new LightResponse()
  await handlers.get(call.route)?.(request, response)
  if (request.failure) throw request.failure
  return { json: response.json, next: request.next }
}
