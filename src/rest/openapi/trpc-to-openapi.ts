/**
 * How trpc-to-openapi 3.3.0 is called. It gathers the input of an operation from path, query and body, has the procedure
 * called and writes the result as JSON. Made for a web server of its own, it would cost several times as much per request
 * and change our schemas. So it is told four things that are not true:
 *
 * 1. Its router holds one procedure. It need not search, and its "caller" is ours, without tRPC's proxies (`routerOf`).
 * 2. The input has the fields of the path alone, which are texts. It sets `coerce` in the number fields of the schema that it sees,
 *    and ours would from then on take `true` for 1 at /trpc, too. It takes arrays of a query from the schema as well: no query
 *    has any. All this it looks for in each field, at each call. `withNumbers` makes numbers of the texts, after the library:
 *    before it, it would drop a 0 as missing.
 * 3. The request is a web `Request` with a JSON body. Otherwise it would build one for its abort signal (15 to 28 µs), and
 *    refuse the encodings that `readBody` has read already (`LightRequest`).
 * 4. There is somewhere to write a response. `LightResponse` keeps the JSON, and our own code sends the answer.
 *
 * All this relies on which fields the library reads; the version is pinned exactly.
 */
import type { TRPCError } from '@trpc/server'
import { createOpenApiNodeHttpHandler } from 'trpc-to-openapi'
import * as z from 'zod'
import type { Page } from '../../domain/core/paging.ts'
import { restRouter } from '../../routers/index.ts'
import type { ProcedureContext } from '../../routers/trpc.ts'
import { type RestRoute, routes } from './routes.ts'

type Fields = Record<string, unknown>
type Call = {
  route: RestRoute
  /** Path of the request, as it came. */
  path: string
  query: Fields
  body: unknown
  context: ProcedureContext
}
type Handle = (request: LightRequest, response: LightResponse) => Promise<void>

/** Calls the procedure of an operation. Resolves to its result as JSON and, for a list, the cursor of the next page. */
export async function dispatch(call: Call): Promise<{ json: string | undefined; next: string | null }> {
  const request = new LightRequest(call)
  const response = new LightResponse()
  await handlers.get(call.route)?.(request, response)
  if (request.failure) throw request.failure
  return { json: response.json, next: request.next }
}

const neverAborted = new AbortController().signal
const jsonHeaders = { get: (name: string) => (name === 'content-type' ? 'application/json' : null) }

/** What the library reads of a request, and nothing more. */
class LightRequest {
  readonly route: RestRoute
  readonly method: string
  readonly url: string
  readonly query: Fields
  readonly body: unknown
  readonly context: ProcedureContext
  readonly headers = jsonHeaders
  readonly signal = neverAborted
  /** Set by the library's hook: why the procedure failed. */
  failure: TRPCError | undefined = undefined
  /** The cursor of the page that the procedure returned. */
  next: string | null = null

  constructor({ route, path, query, body, context }: Call) {
    this.route = route
    this.method = route.operation.method
    this.url = path
    this.query = query
    this.body = body
    this.context = context
  }

  /** Calls the procedure with its guard and its checks. A page is returned as its items, without its cursor. */
  async call(input: Fields): Promise<unknown> {
    const { route, context: ctx, signal } = this
    const { name: path, procedure, operation, numbers } = route
    const result = await procedure({
      ctx,
      path,
      type: procedure._def.type,
      getRawInput: async () => withNumbers(input, numbers),
      signal,
      batchIndex: 0,
    })
    if (operation.envelope !== 'page') return result
    const { items, next } = result as Page<unknown>
    this.next = next
    return items
  }
}
Object.setPrototypeOf(LightRequest.prototype, Request.prototype) // own fields hide its accessors

/** A query holds texts only; the handler has made sure that these are whole numbers. */
function withNumbers(input: Fields, numbers: RestRoute['numbers']): Fields {
  for (const name of numbers) if (typeof input[name] === 'string') input[name] = Number(input[name])
  return input
}

/** Keeps the JSON that the library would have sent. */
class LightResponse {
  statusCode = 200
  json: string | undefined = undefined
  setHeader() {}
  end(json?: string) {
    this.json = json
  }
}

function routerOf({ procedure, fields, operation }: RestRoute) {
  const ofPath = fields.filter((name) => operation.path.includes(`{${name}}`))
  const seen = z.object(Object.fromEntries(ofPath.map((name) => [name, z.string()])))
  const called = { _def: { ...procedure._def, inputs: [seen] } }
  return {
    _def: { ...restRouter._def, procedures: { called } },
    createCaller: (request: LightRequest) => ({ called: (input: Fields) => request.call(input) }),
  }
}

function handlerOf(route: RestRoute): Handle {
  return createOpenApiNodeHttpHandler({
    router: routerOf(route),
    createContext: ({ req }: { req: LightRequest }) => req,
    onError: ({ error, req }: { error: TRPCError; req: LightRequest }) => {
      req.failure = error
    },
  } as never) as unknown as Handle
}

const handlers = new Map(routes.map((route) => [route, handlerOf(route)]))
