import { writeUsage } from '../../domain/usage/write.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import type { ProcessContext } from '../context.ts'

const EVERY_MS = 5_000

/** Writes the usage of applications to the database every five seconds, and once more when it is disposed of. */
export function startUsageFlush(ctx: ProcessContext): AsyncDisposable {
  const edge = new EdgeLogger(ctx.log, {
    down: 'Usage of applications could not be stored',
    up: 'Usage of applications is stored again',
  })
  let loggedLost = 0
  const write = async () => {
    try {
      await writeUsage(ctx)
      edge.up()
    } catch (error) {
      edge.down({ err: error })
    }
    const { lost } = ctx.usage
    if (lost > loggedLost) ctx.log.warn({ lost }, 'Usage counts dropped: too many are waiting to be stored')
    loggedLost = lost
  }
  let writing = Promise.resolve()
  const timer = setInterval(() => {
    writing = writing.then(write)
  }, EVERY_MS)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}
