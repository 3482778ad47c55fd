/** The full size of a test with `LONG_TESTS=1`, else the short one, which is told: a shortened test must not look like a full one. */
export function sizeOf(what: string, { short, long }: { short: number; long: number }): number {
  if (process.env.LONG_TESTS) return long
  process.stdout.write(`shortened: ${what}: ${short} of ${long}; LONG_TESTS=1 runs all\n`)
  return short
}
