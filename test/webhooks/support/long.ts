import { test } from 'vitest'

const isLong = Boolean(process.env.LONG_TESTS)

/** The full size of a test with `LONG_TESTS=1`, else the short one, and it says so: a shortened test must not look like a full one. */
export function sizeOf(what: string, { short, long }: { short: number; long: number }): number {
  if (isLong) return long
  process.stdout.write(`shortened: ${what}: ${short} of ${long}; LONG_TESTS=1 runs all\n`)
  return short
}

/** A test that waits for time limits of 15 s: reported as skipped without `LONG_TESTS=1`. */
export function longTest(name: string, work: () => Promise<void>, ms = 60_000): void {
  if (!isLong) process.stdout.write(`skipped: ${name}; LONG_TESTS=1 runs it\n`)
  test.skipIf(!isLong)(name, work, ms)
}
