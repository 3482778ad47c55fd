import { writeUsage } from '../../domain/usage/write.ts'
import type { ProcessContext } from '../context.ts'

const EVERY_MS = 5_000

/** Writes down every five seconds what applications have asked for, and a last time when it is disposed of. */
export function startUsageFlush(ctx: ProcessContext): AsyncDisposable {
  let isFailing = false
  let toldLost = 0
  const write = async () => {
    try {
      await writeUsage(ctx)
      if (isFailing) ctx.log.info('The usage of applications is written down again')
      isFailing = false
    } catch (error) {
      if (!isFailing) ctx.log.warn({ err: error }, 'The usage of applications cannot be written down for now')
      isFailing = true
    }
    const { lost } = ctx.usage
    if (lost > toldLost) ctx.log.warn({ lost }, 'Requests were not counted for usage: there was no room')
    toldLost = lost
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
