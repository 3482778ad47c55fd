import type { Dispatcher } from 'undici'
import { AttemptFailure } from './attempt-failure.ts'
import { headText } from './response-text.ts'

const KEPT_BYTES = 4_096
const READ_BYTES_MAX = 16_384
/** How long the body may take after the head, which has decided the outcome. */
const BODY_MS = 2_000

/** What came back. The head decides `status`; whatever happens to the body cannot change it. */
export type ReceiverResponse = {
  status: number | null
  retryAfter: string | undefined
  location: string | undefined
  /** The head, at most 4 kB of it; null without one. */
  headers: string | null
  /** The first 4 kB of the body. */
  body: Buffer
  /** Why there is no status. */
  error: unknown
}

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

/**
 * undici's handler of one request. It inflates nothing, follows no redirect, and cuts the connection after 16 kB of body.
 * `ended` resolves exactly once, even when undici calls no further method.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly ended: Promise<ReceiverResponse>
  #resolve: (response: ReceiverResponse) => void = () => {}
  #controller: Dispatcher.DispatchController | undefined
  #status: number | null = null
  #retryAfter: string | undefined
  #location: string | undefined
  #headers: string | null = null
  #chunks: Buffer[] = []
  #read = 0
  #isOver = false
  #bodyTimer: NodeJS.Timeout | undefined

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Ends the request now, whether it is still queued, on its way, or in its body. */
  cut(failure: AttemptFailure) {
    this.#end(failure)
    this.#controller?.abort(failure)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#isOver) controller.abort(new AttemptFailure('E_ABORTED', 'ended before it began'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers) {
    if (status < 200) return
    this.#status = status
    this.#retryAfter = first(headers['retry-after'])
    this.#location = first(headers.location)
    this.#headers = headText(headers)
    this.#bodyTimer = setTimeout(() => this.cut(new AttemptFailure('E_DEADLINE', 'the body takes too long')), BODY_MS)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#read < KEPT_BYTES) this.#chunks.push(Buffer.from(chunk.subarray(0, KEPT_BYTES - this.#read)))
    this.#read += chunk.length
    if (this.#read > READ_BYTES_MAX) this.cut(new AttemptFailure('E_BAD_RESPONSE', 'the body is too long'))
  }

  onResponseEnd() {
    this.#end(undefined)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    this.#end(error)
  }

  #end(error: unknown) {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#bodyTimer)
    const status = this.#status
    const body = Buffer.concat(this.#chunks)
    const head = { retryAfter: this.#retryAfter, location: this.#location, headers: this.#headers }
    this.#resolve({ status, ...head, body, error: status === null ? error : undefined })
  }
}

const first = (header: Headers[string]) => (Array.isArray(header) ? header[0] : header)
