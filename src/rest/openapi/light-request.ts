import type { TRPCError } from '@trpc/server'
import type { Page } from '../../domain/core/paging.ts'
import type { ProcedureContext } from '../../routers/trpc.ts'
import type { RestRoute } from './routes.ts'

export type Call = {
  route: RestRoute
  /** Path of the request, as it came. */
  path: string
  query: Record<string, unknown>
  body: unknown
  context: ProcedureContext
}

const neverAborted = new AbortController().signal
/** The body is parsed already, so the library, which accepts nothing else, is told that it was JSON. */
const jsonHeaders = { get: (name: string) => (name === 'content-type' ? 'application/json' : null) }

/**
 * What trpc-to-openapi 3.3.0 reads of a request, and nothing more. It passes `instanceof Request` (see below), so the
 * library takes these fields as they are instead of building a web Request for each call: 15 to 28 µs saved.
 */
export class LightRequest {
  readonly route: RestRoute
  readonly method: string
  readonly url: string
  readonly query: Record<string, unknown>
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

  /** Calls the procedure, guard, checks and all. A page is returned as its items, without its cursor. */
  async call(input: unknown): Promise<unknown> {
    const { route, context: ctx, signal } = this
    const { name: path, procedure, operation } = route
    const result = await procedure({
      ctx,
      path,
      type: procedure._def.type,
      getRawInput: async () => input,
      signal,
      batchIndex: 0,
    })
    if (operation.envelope !== 'page') return result
    const { items, next } = result as Page<unknown>
    this.next = next
    return items
  }
}
Object.setPrototypeOf(LightRequest.prototype, Request.prototype)

/** Collects the JSON that the library would have sent. */
export class LightResponse {
  statusCode = 200
  json: string | undefined = undefined
  setHeader() {}
  end(json?: string) {
    this.json = json
  }
}
