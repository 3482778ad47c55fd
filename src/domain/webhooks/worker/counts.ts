import type { Context } from '../../core/context.ts'
import type { Settled } from '../queue/settle.ts'
import type { Outcome, Settlement } from '../queue/settlement.ts'
import { deliveryMetrics } from './metrics.ts'
import { noteWait } from './waits.ts'

export type WorkCounts = { processed: number; delivered: number; failed: number; retried: number }

/** Counts what one call of `workDeliveries` settled itself, without what another worker held the lease of by then. */
export class WorkCounter {
  #counts = { delivered: 0, failed: 0, retried: 0 }

  get counts(): WorkCounts {
    const { delivered, failed, retried } = this.#counts
    return { processed: delivered + failed + retried, delivered, failed, retried }
  }

  count(ctx: Context, batch: readonly Settlement[], { leases, disabled, first }: Settled) {
    for (const { lease, outcome, waitMs } of batch) {
      if (!leases.has(lease)) {
        deliveryMetrics.lostLeases++
        continue
      }
      const result = resultOf(outcome)
      deliveryMetrics.attempts[result]++
      if (result !== 'released') this.#counts[result]++
      if (waitMs !== null && first.has(lease)) noteWait(waitMs)
    }
    for (const { id, reason } of disabled) {
      deliveryMetrics.disabled[reason]++
      ctx.log.warn({ subscription: id, reason }, 'A webhook subscription was disabled')
    }
  }
}

function resultOf(outcome: Outcome) {
  if (outcome.kind === 'release') return 'released'
  if (outcome.kind === 'retry') return 'retried'
  return outcome.result === 'delivered' ? 'delivered' : 'failed'
}
