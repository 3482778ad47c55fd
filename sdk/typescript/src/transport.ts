import { ApiError, ConnectionError, errorOf } from './errors.ts'
import { within } from './limit.ts'
import { delayMs, wait } from './wait.ts'

export type TransportOptions = {
  /** Where the service is, such as `https://api.example.com`. */
  baseUrl: string
  /** Another `fetch`, as for a proxy or a test. */
  fetch?: typeof fetch | undefined
  /** How often a request is tried at most; 5 when left out. */
  tries?: number | undefined
  /** Longest time, in seconds, to wait before another try; a refusal that asks for more is thrown. 60 when left out. */
  longestWaitS?: number | undefined
  /** How long each try may take, in seconds, until its answer is whole; 30 when left out. Of a stream: until it is open. */
  timeoutS?: number | undefined
}

export type Query = Record<string, string | number | undefined>
export type Call = {
  method: 'GET' | 'POST' | 'DELETE' | 'PATCH'
  path: string
  query?: Query | undefined
  body?: object | undefined
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
  /** Nothing is sent again of which nobody knows whether it was done. */
  isOnce?: boolean
}

/** What a request has, whoever sends it: an address, tries, and an error in place of an answer that is none. */
export class Transport {
  readonly baseUrl: string
  readonly #fetch: typeof fetch
  readonly #tries: number
  readonly #longestWaitS: number
  /** How long a try may take. */
  readonly timeoutMs: number

  constructor({ baseUrl, fetch: given, tries = 5, longestWaitS = 60, timeoutS = 30 }: TransportOptions) {
    this.baseUrl = baseUrl.replace(/\/+$/, '')
    this.#fetch = given ?? ((input, init) => fetch(input, init))
    this.#tries = tries
    this.#longestWaitS = longestWaitS
    this.timeoutMs = timeoutS * 1_000
  }

  /**
   * Sends a call, again after 429, 503 and lost connections. A POST carries an `Idempotency-Key`, so that what is sent twice is
   * done once; a DELETE that finds nothing after a try without an answer was done by that try. A redirect is not followed, and
   * an `ApiError`. Throws `ApiError`, `ConnectionError`.
   */
  async send(call: Call, authorization?: string): Promise<Response> {
    const init = this.#initOf(call, authorization)
    let isUnanswered = false
    for (let attempt = 0; ; attempt++) {
      const result = await this.#try(call, init)
      if (result instanceof Response) return result
      if (isUnanswered && isGone(call, result)) return new Response(null, { status: 204 })
      isUnanswered ||= result instanceof ConnectionError
      await this.#pause(result, attempt, call)
    }
  }

  /** Sends once, whatever comes of it; a redirect alone is an error. */
  open({ method, path, query, headers, signal }: Call): Promise<Response> {
    return this.#ask({ path, query }, { method, headers: headers ?? {}, signal: signal ?? null })
  }

  urlOf(path: string, query: Query = {}): string {
    const url = new URL(path, this.baseUrl)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    return url.href
  }

  #initOf({ method, body, headers, isOnce }: Call, authorization: string | undefined): RequestInit {
    return {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(method === 'POST' && !isOnce && { 'idempotency-key': crypto.randomUUID() }),
        ...(authorization && { authorization }),
        ...headers,
      },
      body: body ? JSON.stringify(body) : null,
    }
  }

  /** Waits before the next try; throws where there is none. */
  async #pause(result: ApiError | ConnectionError, attempt: number, call: Call): Promise<void> {
    if (attempt + 1 >= this.#tries || !this.#mayRepeat(result, call)) throw result
    await wait(delayMs(attempt, result instanceof ApiError ? result.retryAfterS : undefined), call.signal)
  }

  async #try({ path, query, signal }: Call, init: RequestInit): Promise<Response | ApiError | ConnectionError> {
    try {
      return await within(this.timeoutMs, signal, async (ending) => {
        const response = await this.#ask({ path, query }, { ...init, signal: ending })
        return response.ok ? whole(response) : errorOf(response)
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ApiError) return error
      return new ConnectionError(`${this.baseUrl} did not answer.`, { cause: error })
    }
  }

  /** The service sends nobody elsewhere. Whoever does, as a proxy on the way to https, would have secrets and bodies sent there. */
  async #ask({ path, query }: Pick<Call, 'path' | 'query'>, init: RequestInit): Promise<Response> {
    const response = await this.#fetch(this.urlOf(path, query), { ...init, redirect: 'manual' })
    const { status, type } = response
    if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return response // browsers do not tell the status
    await response.body?.cancel().catch(() => {})
    const message = `${this.baseUrl} redirects to another address, which is not followed: is that the right baseUrl?`
    throw new ApiError({ code: 'redirected', message, status })
  }

  #mayRepeat(error: ApiError | ConnectionError, { isOnce }: Call): boolean {
    if (error instanceof ConnectionError) return !isOnce
    if (error.status !== 429 && error.status !== 503) return error.status > 500 && !isOnce
    return (error.retryAfterS ?? 0) <= this.#longestWaitS
  }
}

/** Whether there is nothing left to delete. */
const isGone = ({ method }: Call, result: Error) =>
  method === 'DELETE' && result instanceof ApiError && result.status === 404

/** An answer that was read to its end: one that is cut off is a lost connection. */
async function whole(response: Response): Promise<Response> {
  const { status, headers } = response
  const text = await response.text()
  return new Response(text === '' ? null : text, { status, headers })
}
