import { isSuccess } from '../../../shared/delivery.ts'
import { FAILURES_TO_OPEN } from './circuit-breaker.ts'
import type { Claimed } from './claim.ts'
import type { DeliveryContent } from './load.ts'
import { retryAfterS, retryDelayS } from './retry-schedule.ts'
import { type AttemptResult, type HealthSignal, type Outcome, releaseOf, type Settlement } from './settlement.ts'

const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503
const GONE = 410

type Attempted = { delivery: Claimed; content: DeliveryContent; attempt: AttemptResult; growsOnSuccess: () => boolean }

/**
 * What follows from an attempt. 2xx is success; 410 ends the subscription; everything else is tried again until ten
 * attempts are used up. An attempt that we aborted ourselves is given back and not charged.
 */
export function settlementOf({ delivery, content, attempt, growsOnSuccess }: Attempted): Settlement {
  const { record } = attempt
  if (record.errorClass === 'E_ABORTED') return releaseOf(delivery)
  const { id, lease, subscription_id: subscriptionId } = delivery
  const settled = { id, lease, subscriptionId, attempt: record, waitMs: waitOf(delivery, record.startedMs) }
  if (isSuccess(record.status)) {
    const outcome = { kind: 'finish', result: 'delivered', reason: null } as const
    const fillsWindow = delivery.fills_window
    return { ...settled, outcome, health: { ...healthy, fillsWindow, grows: growsOnSuccess() } }
  }
  const waitS = isAskedToWait(record.status) ? retryAfterS(attempt.retryAfter, record.startedMs) : undefined
  const outcome = outcomeOfFailure(delivery, record.status, waitS)
  return { ...settled, outcome, health: healthOfFailure(delivery, content, attempt, waitS) }
}

/** In milliseconds; null where its receiver had to do with it, and for what was tried before. */
function waitOf({ attempts, lane, created_ms, waited_for_us }: Claimed, startedMs: number): number | null {
  return attempts === 0 && lane === 0 && waited_for_us ? Math.max(0, startedMs - created_ms) : null
}

const isAskedToWait = (status: number | null) => status === TOO_MANY_REQUESTS || status === UNAVAILABLE

function outcomeOfFailure({ attempts }: Claimed, status: number | null, waitS: number | undefined): Outcome {
  if (status === GONE) return { kind: 'finish', result: 'failed', reason: 'gone' }
  const delayS = retryDelayS(attempts + 1, waitS)
  if (delayS === undefined) return { kind: 'finish', result: 'failed', reason: 'exhausted' }
  return { kind: 'retry', delayS }
}

const healthy: HealthSignal = {
  isSuccess: true,
  isProbe: false,
  fillsWindow: false,
  grows: false,
  halves: false,
  goneUrl: null,
  retryAfterS: null,
}

function healthOfFailure(
  { fills_window: fillsWindow }: Claimed,
  { consecutiveFailures, url }: DeliveryContent,
  { record }: AttemptResult,
  waitS: number | undefined,
): HealthSignal {
  const { status, errorClass } = record
  return {
    isSuccess: false,
    isProbe: consecutiveFailures >= FAILURES_TO_OPEN,
    fillsWindow,
    grows: false,
    halves: isAskedToWait(status) || errorClass === 'E_DEADLINE',
    goneUrl: status === GONE ? url : null,
    retryAfterS: waitS ?? null,
  }
}
