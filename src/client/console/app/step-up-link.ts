import type { TRPCClientError, TRPCLink } from '@trpc/client'
import { observable } from '@trpc/server/observable'
import type { AppRouter } from '../../../routers/index.ts'

/**
 * Where a call wants its caller to prove who they are, asks `prove`, and repeats the call once when that resolves to true: whoever
 * made the call waits, and loses nothing that was typed.
 */
export const stepUpLink =
  (prove: () => Promise<boolean>): TRPCLink<AppRouter> =>
  () =>
  ({ op, next }) =>
    observable((observer) => {
      const call = (onError: (error: TRPCClientError<AppRouter>) => void) =>
        next(op).subscribe({ ...observer, next: (value) => observer.next(value), error: onError })
      let running = call((error) => {
        if (error.data?.problem?.code !== 'step_up_required') return observer.error(error)
        void prove().then((isProved) => {
          if (!isProved) return observer.error(error)
          running = call((again) => observer.error(again))
        })
      })
      return () => running.unsubscribe()
    })
