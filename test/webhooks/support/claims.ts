import { type Claimed, type ClaimRequest, claimDue } from '../../../src/domain/webhooks/queue/claim.ts'
import { releaseOf, type Settlement } from '../../../src/domain/webhooks/queue/settlement.ts'
import { crowds } from './crowd.ts'
import { createStage } from './stage.ts'

/** A stage with crowds of subscriptions, whose deliveries are claimed and settled without being sent. */
export async function createClaimStage() {
  const stage = await createStage()
  const { crowd, deliveries, clear } = crowds(stage)
  return {
    stage,
    crowd,
    deliveries,
    clear,
    claim: (limit = 100, more: Partial<ClaimRequest> = {}) => claimDue(stage.context, { lane: 0, limit, ...more }),
    async [Symbol.asyncDispose]() {
      await clear()
      await stage[Symbol.asyncDispose]()
    },
  }
}

export const finish = (row: Claimed): Settlement => ({
  ...releaseOf(row),
  outcome: { kind: 'finish', result: 'delivered', reason: null },
})
export const retry = (row: Claimed, delayS = 3600): Settlement => ({
  ...releaseOf(row),
  outcome: { kind: 'retry', delayS },
})
export const bySubscription = (rows: Claimed[]) => rows.map((row) => row.subscription_id)
