import type { TRPCError } from '@trpc/server'
import type { Page } from '../domain/paging.ts'
import type { Operation } from '../routers/operation.ts'
import type { Context } from '../routers/trpc.ts'

export type Call = {
  operation: Operation
  /** Path of the request, as it came. */
  path: string
  query: Record<string, unknown>
  body: unknown
  context: Context
}

const neverAborted = new AbortController().signal
/** The body is parsed already, so the library, which accepts nothing else, is told that it was JSON. */
const jsonHeaders = { get: (name: string) => (name === 'content-type' ? 'application/json' : null) }

/**
 * What trpc-to-openapi 3.3.0 reads of a request, and nothing more. It passes `instanceof Request` (see below), so the
 * library takes these fields as they are instead of building a web Request for each call: 15 to 28 µs saved.
 */
export class LightRequest {
  readonly operation: Operation
  readonly method: string
  readonly url: string
  readonly query: Record<string, unknown>
  readonly body: unknown
  readonly context: Context
  readonly headers = jsonHeaders
  readonly signal = neverAborted
  /** Set by the library's hooks: why the procedure failed, or the cursor of the page that it returned. */
  failure: TRPCError | undefined = undefined
  next: string | null = null

  constructor({ operation, path, query, body, context }: Call) {
    this.operation = operation
    this.method = operation.method
    this.url = path
    this.query = query
    this.body = body
    this.context = context
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

/** Takes the cursor out of a page, which from here on is written as its items: one serialisation, not two. */
export function takeCursor(page: Page<unknown>): string | null {
  Object.defineProperty(page, 'toJSON', { value: () => page.items })
  return page.next
}
