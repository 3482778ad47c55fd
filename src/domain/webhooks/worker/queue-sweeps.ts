import type { Database } from '../../../db/client.ts'
import { isRetryable, isUnavailable } from '../../../db/db-error.ts'
import { EdgeLogger } from '../../../telemetry/edge-logger.ts'
import type { Context } from '../../core/context.ts'
import { sweepLapsed } from '../queue/lost-grants.ts'
import { refileWaiting } from '../queue/refile.ts'
import { sweepStopped } from '../queue/sweep.ts'
import { deliveryMetrics } from './metrics.ts'

/** Chunks of each kind in one round: the rest waits for the next, so that the rows of one receiver never occupy a process. */
const CHUNKS_MAX = 5

type Sweeps = { lapsedAfter: string; edge: EdgeLogger; round: Promise<void> | undefined }

// Module state, because the loop and calls of the cron operation continue where the other stopped
const sweepsOf = new WeakMap<Database, Sweeps>()

/**
 * One round of sweeps: looks at the next thousand subscriptions for grants that have ended, takes out of the queue what is
 * stopped, and files what waits under the pace of its receiver, at most 5,000 rows of each. A process makes one round
 * at a time: who asks during one waits for that. What fails is logged and tried again by the next round. Nothing that is sent
 * depends on it.
 */
export function sweepQueue(ctx: Context): Promise<void> {
  const sweeps = sweepsOf.get(ctx.slow) ?? { lapsedAfter: '', edge: edgeOf(ctx), round: undefined }
  sweepsOf.set(ctx.slow, sweeps)
  sweeps.round ??= makeRound(ctx, sweeps).finally(() => {
    sweeps.round = undefined
  })
  return sweeps.round
}

/** Resolves when no round is on its way. */
export async function sweepsEnded(ctx: Context): Promise<void> {
  await sweepsOf.get(ctx.slow)?.round
}

/** A kind that fails keeps no other from being done. */
async function makeRound(ctx: Context, sweeps: Sweeps): Promise<void> {
  const failures: unknown[] = []
  const kinds = [
    () => disableLapsed(ctx, sweeps),
    () => sweepStopped(ctx, CHUNKS_MAX),
    () => refileWaiting(ctx, CHUNKS_MAX),
  ]
  for (const sweep of kinds) await sweep().catch((error: unknown) => failures.push(error))
  const error = failures.find((failure) => !isUnavailable(failure) && !isRetryable(failure)) // whoever delivers tells of those
  if (error !== undefined) sweeps.edge.down({ err: error }, 'error')
  else if (failures.length === 0) sweeps.edge.up()
}

async function disableLapsed(ctx: Context, sweeps: Sweeps): Promise<void> {
  const { disabled, next } = await sweepLapsed(ctx, sweeps.lapsedAfter)
  sweeps.lapsedAfter = next
  deliveryMetrics.disabled.grant_lost += disabled
}

const edgeOf = ({ log }: Context) =>
  new EdgeLogger(log, {
    down: 'Sweeping the webhook queue fails: what is stopped stays in it, unsent',
    up: 'The webhook queue is swept again',
  })
