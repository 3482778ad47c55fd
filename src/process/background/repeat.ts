import { setTimeout as after } from 'node:timers/promises'
import { type Edge, EdgeLogger } from '../../telemetry/edge-logger.ts'
import type { Logger } from '../../telemetry/logger.ts'

type Repeated = {
  /** What is logged when the work begins to fail, and when it goes well again. */
  edge: Edge
  pauseMs: number
  /** Whether it is done once more in the end, for what has come meanwhile. */
  isLast?: boolean
}

/** Does something again and again, one time after the other, until it is disposed of, which its signal tells it. What fails is tried again. */
export function repeat(
  { log }: { log: Logger },
  { edge, pauseMs, isLast = false }: Repeated,
  work: (signal: AbortSignal) => Promise<void>,
): AsyncDisposable {
  const stop = new AbortController()
  const { signal } = stop
  const reported = new EdgeLogger(log, edge)
  const attempt = async () => {
    try {
      await work(signal)
      reported.up()
    } catch (error) {
      reported.down({ err: error })
    }
  }
  const repeating = (async () => {
    while (!signal.aborted) {
      await attempt()
      await after(pauseMs, undefined, { signal }).catch(() => {})
    }
  })()
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await repeating
      if (isLast) await attempt()
    },
  }
}
