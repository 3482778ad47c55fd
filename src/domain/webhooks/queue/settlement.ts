import type { ErrorClass } from './error-class.ts'

/** One attempt as it is logged: a status or an error class, never both. */
export type AttemptRecord = {
  /** Milliseconds since 1970, by the database's clock. */
  startedMs: number
  durationMs: number
  status: number | null
  errorClass: ErrorClass | null
  /** The first 4 kB of the answer as text; null when there was none. */
  response: string | null
}

/** One attempt, and the header `Retry-After` of its answer, as it came. */
export type AttemptResult = { record: AttemptRecord; retryAfter: string | undefined }

/** What an attempt says about its receiver. */
export type HealthSignal = {
  isSuccess: boolean
  /** The subscription rested, and this was the one attempt that asks whether it is well again. */
  isProbe: boolean
  /** A whole window of successes: one more at a time. */
  grows: boolean
  /** 429, 503 or the deadline: half as many at a time. */
  halves: boolean
  /** 410: the receiver wants no more. */
  isGone: boolean
  retryAfterS: number | null
}

/**
 * How a claimed delivery goes on. `finish`: it leaves the queue. `retry`: one attempt is charged. `release`: given back
 * uncharged, to be due again after `delayS`.
 */
export type Outcome =
  | { kind: 'finish'; outcome: 'delivered' | 'failed' | 'expired'; reason: string | null }
  | { kind: 'retry'; delayS: number }
  | { kind: 'release'; delayS: number }

export type Settlement = {
  id: string
  lease: string
  subscriptionId: string
  verdict: Outcome
  attempt: AttemptRecord | null
  sign: HealthSignal | null
}

/** Given back unsent: nothing is charged, nothing is logged. */
export function releaseOf(row: { id: string; lease: string; subscription_id: string }, delayS = 0): Settlement {
  const { id, lease, subscription_id: subscriptionId } = row
  return { id, lease, subscriptionId, verdict: { kind: 'release', delayS }, attempt: null, sign: null }
}
