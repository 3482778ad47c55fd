/** The longest that a timer can wait: about 24 days. */
const TIMER_MS_MAX = 2 ** 31 - 1

export type Until = {
  /** Its controller is aborted when this is, with the same reason. */
  signal?: AbortSignal | undefined
  /** Or after so many milliseconds, with a `TimeoutError`. */
  ms?: number | undefined
}

/**
 * A controller that is aborted by another signal or after a time as well, until it is disposed of. It stands for
 * `AbortSignal.any([signal, AbortSignal.timeout(ms)])`, whose timeout is lost on Node 20 to 24 once its garbage is collected: what
 * hangs then hangs for good (nodejs/node#57736).
 */
export class LinkedController extends AbortController implements Disposable {
  readonly #other: AbortSignal | undefined
  readonly #timer: NodeJS.Timeout | undefined

  constructor({ signal, ms }: Until) {
    super()
    this.#other = signal
    if (signal?.aborted) this.#follow()
    signal?.addEventListener('abort', this.#follow)
    if (ms !== undefined) this.#timer = setTimeout(this.#end, Math.min(ms, TIMER_MS_MAX))
  }

  /** The time begins anew. */
  refresh(): void {
    this.#timer?.refresh()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#other?.removeEventListener('abort', this.#follow)
  }

  #follow = (): void => this.abort(this.#other?.reason)

  #end = (): void => this.abort(new DOMException('nothing came in time', 'TimeoutError'))
}
