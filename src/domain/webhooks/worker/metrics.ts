import { Durations } from '../../../telemetry/durations.ts'
import type { Pace } from '../../events/receiver-pace.ts'

/** What this process has done since it started, as metrics. No label ever holds a URL or an identifier. */
class DeliveryMetrics {
  /** `webhook_attempts_total{outcome}` */
  readonly attempts = { delivered: 0, failed: 0, retried: 0, released: 0 }
  /** `webhook_disabled_total{reason}`: those that an attempt disabled, or a sweep that found no grant of their user. */
  readonly disabled = { gone: 0, failing: 0, grant_lost: 0 }
  /** `webhook_in_flight{pace}` */
  readonly inFlight: Record<Pace, number> = { fast: 0, unproven: 0, slow: 0 }
  /** `webhook_lost_leases_total`: results that came when another worker held the lease. */
  lostLeases = 0
  /** `webhook_settle_retries_total` */
  settleRetries = 0
  /** `webhook_attempt_seconds` */
  readonly attemptS = new Durations()
  /** `webhook_publish_to_arrival_seconds`: from the event to the beginning of its first attempt, where only we kept it waiting. */
  readonly publishToArrivalS = new Durations()
}

/** Those of this process, of all calls of `workDeliveries` in it. */
export const deliveryMetrics = new DeliveryMetrics()
