import { writeUsage } from '../../domain/usage/write.ts'
import type { ProcessContext } from '../context.ts'
import { repeat } from './repeat.ts'

const edge = { down: 'Usage of applications could not be stored', up: 'Usage of applications is stored again' }

/** Writes the usage of applications to the database every five seconds, and once more when it is disposed of. */
export function startUsageFlush(ctx: ProcessContext): AsyncDisposable {
  let loggedLost = 0
  const write = async () => {
    try {
      await writeUsage(ctx)
    } finally {
      const { lost } = ctx.usage
      if (lost > loggedLost) ctx.log.warn({ lost }, 'Usage counts dropped: too many are waiting to be stored')
      loggedLost = lost
    }
  }
  return repeat(ctx, { edge, pauseMs: 5_000, isLast: true }, write)
}
