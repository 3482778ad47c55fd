const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const local = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const toTheSecond = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' })

const SECOND_MS = 1_000
const units = [
  { unit: 'second', ms: SECOND_MS, until: 60 * SECOND_MS },
  { unit: 'minute', ms: 60 * SECOND_MS, until: 3_600 * SECOND_MS },
  { unit: 'hour', ms: 3_600 * SECOND_MS, until: 24 * 3_600 * SECOND_MS },
  { unit: 'day', ms: 24 * 3_600 * SECOND_MS, until: 14 * 24 * 3_600 * SECOND_MS },
] as const

/** `3 minutes ago`, `in 5 hours`; beyond two weeks the local time. Below five seconds it is now: clocks differ. */
export function describeAge(at: string, nowMs: number): string {
  const ms = new Date(at).getTime() - nowMs
  if (Math.abs(ms) < 5 * SECOND_MS) return 'just now'
  const fitting = units.find(({ until }) => Math.abs(ms) < until)
  return fitting ? relative.format(Math.round(ms / fitting.ms), fitting.unit) : local.format(new Date(at))
}

/** With seconds: attempts may be seconds apart, and people compare the times with their logs. */
export const localTime = (at: string): string => toTheSecond.format(new Date(at))

export const exactTime = (at: string): string => exact.format(new Date(at))

/** `420 ms`, `1.3 s`. */
export const describeDuration = (ms: number): string =>
  ms < SECOND_MS ? `${Math.round(ms)} ms` : `${(ms / SECOND_MS).toFixed(1)} s`
