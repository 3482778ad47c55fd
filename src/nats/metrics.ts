/** What the metrics show of this process; away only where `NATS_URL` is set. */
export const natsMetrics = { isAway: false }
