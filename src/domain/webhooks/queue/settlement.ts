import type { ErrorClass } from './error-class.ts'

/** One attempt as it is logged: a status or an error class, never both. */
export type AttemptRecord = {
  /** Milliseconds since 1970, by the database's clock. */
  startedMs: number
  durationMs: number
  status: number | null
  errorClass: ErrorClass | null
  /** What these two leave open, in a sentence: the fault of a certificate, where a redirect leads to. */
  detail: string | null
  /** The head of the request as it was sent, with the whole address in its first line; null when nothing was. */
  request: string | null
  /** The head of the response, at most 4 kB; null when there was none. */
  responseHeaders: string | null
  /** The first 4 kB of the response body as text; null when there was none. */
  response: string | null
}

/** One attempt, and the header `Retry-After` of its response, as it came. */
export type AttemptResult = { record: AttemptRecord; retryAfter: string | undefined }

/** What an attempt says about its receiver. */
export type HealthSignal = {
  isSuccess: boolean
  /** The breaker was open, and this was the one attempt that tests whether the receiver is well again. */
  isProbe: boolean
  /** With this one as much was in flight as the window holds: what came meanwhile has waited for the receiver. */
  fillsWindow: boolean
  /** As many successes as the window holds: it grows by one. */
  grows: boolean
  /** 429, 503 or the deadline: the window is halved. */
  halves: boolean
  /** 410: the address that wants no more; it may be another's by the time that this is settled. */
  goneUrl: string | null
  retryAfterS: number | null
}

/**
 * What becomes of a claimed delivery. `finish`: it leaves the queue. `retry`: one attempt is charged. `release`: given back
 * uncharged, to be due again after `delayS`.
 */
export type Outcome =
  | { kind: 'finish'; result: 'delivered' | 'failed' | 'expired'; reason: string | null }
  | { kind: 'retry'; delayS: number }
  | { kind: 'release'; delayS: number }

export type Settlement = {
  id: string
  lease: string
  subscriptionId: string
  outcome: Outcome
  /** Null when nothing was sent: then nothing is logged. */
  attempt: AttemptRecord | null
  health: HealthSignal | null
  /** How long it has waited for us alone, if it did; of a first attempt it is a figure of the service. */
  waitMs: number | null
}

/** Given back unsent: nothing is charged, nothing is logged. */
export function releaseOf(row: { id: string; lease: string; subscription_id: string }, delayS = 0): Settlement {
  const { id, lease, subscription_id: subscriptionId } = row
  return { id, lease, subscriptionId, outcome: { kind: 'release', delayS }, attempt: null, health: null, waitMs: null }
}
