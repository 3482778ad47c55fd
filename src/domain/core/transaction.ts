import { randomInt } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import type { Counters } from '../../counters/counters.ts'
import { isRetryable } from '../../db/db-error.ts'
import { mendPartitions } from '../../db/partitions.ts'
import type { Context } from './context.ts'

/** A context whose statements commit together. A function that takes one cannot be called outside a transaction. */
export type InTransaction<Of extends Context = Context> = Of & { afterCommit: (effect: () => void) => void }

const TRIES_MAX = 3
const PAUSE_MS_MAX = 50

const refuse = async (): Promise<never> => {
  throw new Error('A transaction waits for no network, so nothing is counted in it: count before')
}
const noCounters: Counters = { take: refuse, peek: refuse, giveBack: refuse }

/**
 * Runs `work` in a transaction, or in the one that `ctx` is already in. Effects run once the outermost has committed.
 * After a deadlock or a serialization failure (40P01, 40001) all of `work` runs again, so it must do nothing but run
 * statements. There is nothing to count by in it: others would wait for its connection, and maybe its locks, while it waits for Redis.
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
      const result = await ctx.db.transaction((db) => work({ afterCommit, ...ctx, db, counters: noCounters }))
      for (const effect of effects) effect()
      return result
    } catch (error) {
      if (tried === TRIES_MAX || !(await isWorthAgain(ctx, error))) throw error
    }
  }
}

/** Two transactions that deadlocked would do so again if both tried again after the same pause. */
async function isWorthAgain(ctx: Context, error: unknown): Promise<boolean> {
  if (!isRetryable(error)) return mendPartitions(ctx.db, error)
  await after(randomInt(PAUSE_MS_MAX))
  return true
}

export const isInTransaction = <Of extends Context>(ctx: Of): ctx is InTransaction<Of> => 'afterCommit' in ctx
