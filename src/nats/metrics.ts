/** What the metrics show of this process; `isUsed` where `NATS_URL` is set, and away only there. */
export const natsMetrics = { isUsed: false, isAway: false }
