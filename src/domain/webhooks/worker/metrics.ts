/** Upper bounds of the buckets in seconds; one more bucket holds what is longer. */
const BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 60] as const

/** A histogram of durations, so that its size is fixed. */
class Durations {
  readonly counts: number[] = Array<number>(BUCKETS_S.length + 1).fill(0)
  readonly boundsS: readonly number[] = BUCKETS_S
  sumS = 0

  observe(seconds: number) {
    const bucket = BUCKETS_S.findIndex((bound) => seconds <= bound)
    const index = bucket === -1 ? BUCKETS_S.length : bucket
    this.counts[index] = (this.counts[index] ?? 0) + 1
    this.sumS += seconds
  }

  get count(): number {
    return this.counts.reduce((sum, one) => sum + one, 0)
  }

  /** The upper bound of the bucket in which this share of all is reached; null when nothing was observed. */
  quantileS(share: number): number | null {
    const wanted = this.count * share
    let seen = 0
    for (const [index, one] of this.counts.entries()) {
      seen += one
      if (seen > 0 && seen >= wanted) return BUCKETS_S[index] ?? Number.POSITIVE_INFINITY
    }
    return null
  }
}

/** What this process has done since it started, as metrics. No label ever holds a URL or an identifier. */
class DeliveryMetrics {
  /** `webhook_attempts_total{outcome}` */
  readonly attempts = { delivered: 0, failed: 0, retried: 0, released: 0 }
  /** `webhook_disabled_total{reason}`: only subscriptions that an attempt disabled. */
  readonly disabled = { gone: 0, failing: 0 }
  /** `webhook_in_flight` */
  inFlight = 0
  /** `webhook_lost_leases_total`: results that came when another worker held the lease. */
  lostLeases = 0
  /** `webhook_settle_retries_total` */
  settleRetries = 0
  /** `webhook_attempt_seconds` */
  readonly attemptS = new Durations()
  /** `webhook_publish_to_arrival_seconds`: from the event to the beginning of its first attempt. */
  readonly publishToArrivalS = new Durations()
}

/** Those of this process, of all calls of `workDeliveries` in it. */
export const deliveryMetrics = new DeliveryMetrics()
