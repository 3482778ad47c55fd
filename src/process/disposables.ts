import { logger } from '../telemetry/logger.ts'

type Close = () => unknown

/**
 * Closes what a process has opened, in the reverse order: like the standard's `AsyncDisposableStack`, which Node 20 lacks,
 * but a step that fails is logged and does not prevent the others.
 */
export class Disposables implements AsyncDisposable {
  readonly #steps: Close[] = []

  use<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.defer(() => resource[Symbol.asyncDispose]())
    return resource
  }

  defer(close: Close) {
    this.#steps.push(() => closeOrLog(close))
  }

  /** These run at the same time, as one step. */
  deferTogether(...closings: Close[]) {
    this.#steps.push(() => Promise.all(closings.map(closeOrLog)))
  }

  async [Symbol.asyncDispose]() {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step()
  }
}

async function closeOrLog(close: Close): Promise<void> {
  try {
    await close()
  } catch (error) {
    logger.error({ err: error }, 'Shutdown step failed')
  }
}
