import type { Context } from '../../domain/core/context.ts'
import { workMails } from '../../domain/mail/work-mails.ts'

/** Sends mails until it is disposed of. */
export function startMailing(context: Context): AsyncDisposable {
  const stop = new AbortController()
  const work = workMails(context, stop.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await work
    },
  }
}
