import { logger } from '../telemetry/logger.ts'

/**
 * What a process has opened, closed in the opposite order: the standard's `AsyncDisposableStack`, which Node 20 lacks.
 * A closing that fails is logged and does not keep the others from theirs.
 */
export class Disposables implements AsyncDisposable {
  #closings: (() => unknown)[] = []

  use<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.defer(() => resource[Symbol.asyncDispose]())
    return resource
  }

  defer(close: () => unknown) {
    this.#closings.push(close)
  }

  async [Symbol.asyncDispose]() {
    for (let close = this.#closings.pop(); close; close = this.#closings.pop()) {
      try {
        await close()
      } catch (error) {
        logger.error({ err: error }, 'Something did not close in order')
      }
    }
  }
}
