/** What became of the requests that this process had to keep, since it started. */
export const requestLogMetrics = {
  /** `request_log_rows_total`: rows that were stored. */
  rows: 0,
  /**
   * `request_log_dropped_total{reason}`. `bound`: beyond what is kept of an application, or by a process, in a minute. `full`: too many
   * were waiting. `database`: they could not be stored.
   */
  dropped: { bound: 0, full: 0, database: 0 },
}
