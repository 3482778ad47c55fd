import { isRetryable } from '../db/failure.ts'
import type { Context } from './context.ts'

/** A context whose statements commit together. What takes one cannot be called outside a transaction. */
export type InTransaction<Of extends Context = Context> = Of & { afterCommit: (effect: () => void) => void }

const TRIES_MAX = 3

/**
 * Runs `work` in a transaction, or in the one that `ctx` is already in. Effects run once the outermost has committed.
 * A deadlock or a serialization failure (40P01, 40001) runs the whole of it again, so `work` must do nothing else.
 */
export async function transact<Of extends Context, Result>(
  ctx: Of,
  work: (tx: InTransaction<Of>) => Promise<Result>,
): Promise<Result> {
  if (isInTransaction(ctx)) return work(ctx)
  for (let tried = 1; ; tried++) {
    const effects: (() => void)[] = []
    const afterCommit = (effect: () => void) => {
      effects.push(effect)
    }
    try {
      const result = await ctx.db.transaction((db) => work({ ...ctx, db, afterCommit }))
      for (const effect of effects) effect()
      return result
    } catch (error) {
      if (tried === TRIES_MAX || !isRetryable(error)) throw error
    }
  }
}

const isInTransaction = <Of extends Context>(ctx: Of): ctx is InTransaction<Of> => 'afterCommit' in ctx
