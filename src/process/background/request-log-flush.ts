import { requestLogMetrics } from '../../domain/requests/metrics.ts'
import { writeRequestLog } from '../../domain/requests/write.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import type { ProcessContext } from '../context.ts'

const EVERY_MS = 1_000

/** Stores the noted requests of applications every second, and once more when it is disposed of. */
export function startRequestLogFlush(ctx: ProcessContext): AsyncDisposable {
  const edge = new EdgeLogger(ctx.log, {
    down: 'Requests of applications could not be stored',
    up: 'Requests of applications are stored again',
  })
  const write = async () => {
    try {
      await writeRequestLog(ctx)
      edge.up()
    } catch (error) {
      edge.down({ err: error, dropped: requestLogMetrics.dropped })
    }
  }
  let writing: Promise<void> | undefined
  const timer = setInterval(() => {
    writing ??= write().finally(() => {
      writing = undefined
    })
  }, EVERY_MS)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}
