/** Upper bounds of the buckets in seconds; one more bucket holds what is longer. */
const BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 900, 3_600] as const

/** A histogram of durations, so that its size is fixed. */
export class Durations {
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
}
