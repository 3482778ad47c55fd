import { isSuccess } from '../../../shared/delivery.ts'
import { type Claimed, FAILURES_TO_OPEN } from './claim.ts'
import type { DeliveryContent } from './load.ts'
import { retryAfterS, retryDelayS } from './retry-schedule.ts'
import { type AttemptResult, type HealthSignal, releaseOf, type Settlement } from './settlement.ts'

const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503
const GONE = 410

type Tried = { delivery: Claimed; content: DeliveryContent; attempt: AttemptResult; growsOnSuccess: () => boolean }

/**
 * What follows from an attempt. Only 2xx is success; 410 ends the subscription; everything else is tried again until ten
 * attempts are used up. An attempt that we cut short ourselves is given back and not charged.
 */
export function settlementOf({ delivery, content, attempt, growsOnSuccess }: Tried): Settlement {
  const { record } = attempt
  if (record.errorClass === 'E_ABORTED') return releaseOf(delivery)
  const { id, lease, subscription_id: subscriptionId } = delivery
  const settled = { id, lease, subscriptionId, attempt: record }
  if (isSuccess(record.status)) {
    const sign = { ...healthy, grows: growsOnSuccess() }
    return { ...settled, verdict: { kind: 'finish', outcome: 'delivered', reason: null }, sign }
  }
  const waitS = isAskedToWait(record.status) ? retryAfterS(attempt.retryAfter, record.startedMs) : undefined
  return { ...settled, verdict: afterFailure(delivery, record.status, waitS), sign: ill(content, attempt, waitS) }
}

const isAskedToWait = (status: number | null) => status === TOO_MANY_REQUESTS || status === UNAVAILABLE

function afterFailure({ attempts }: Claimed, status: number | null, waitS: number | undefined): Settlement['verdict'] {
  if (status === GONE) return { kind: 'finish', outcome: 'failed', reason: 'gone' }
  const delayS = retryDelayS(attempts + 1, waitS)
  if (delayS === undefined) return { kind: 'finish', outcome: 'failed', reason: 'exhausted' }
  return { kind: 'retry', delayS }
}

const healthy: HealthSignal = {
  isSuccess: true,
  isProbe: false,
  grows: false,
  halves: false,
  isGone: false,
  retryAfterS: null,
}

function ill(
  { consecutiveFailures }: DeliveryContent,
  { record }: AttemptResult,
  waitS: number | undefined,
): HealthSignal {
  const { status, errorClass } = record
  return {
    isSuccess: false,
    isProbe: consecutiveFailures >= FAILURES_TO_OPEN,
    grows: false,
    halves: isAskedToWait(status) || errorClass === 'E_DEADLINE',
    isGone: status === GONE,
    retryAfterS: waitS ?? null,
  }
}
