/** A time zone by its name; undefined is the device's own. */
type Zone = string | undefined

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const cached = new Map<string, Intl.DateTimeFormat>()

/** Formats are slow to make, and a page has hundreds of times. */
function formatOf(name: keyof typeof shapes, zone: Zone): Intl.DateTimeFormat {
  const key = `${name} ${zone}`
  const known = cached.get(key) ?? new Intl.DateTimeFormat('en', { ...shapes[name], timeZone: zone })
  cached.set(key, known)
  return known
}

const day = { year: 'numeric', month: 'short', day: 'numeric' } as const
const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const
const shapes = {
  toTheMinute: { ...day, ...time },
  toTheSecond: { ...day, ...time, second: '2-digit' },
  exact: { ...day, ...time, second: '2-digit', fractionalSecondDigits: 3 },
  hour: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  hourOfWeek: { ...time, weekday: 'short' },
  day: { month: 'short', day: 'numeric' },
  dayOfWeek: { month: 'short', day: 'numeric', weekday: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

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
  if (fitting) return relative.format(Math.round(ms / fitting.ms), fitting.unit)
  return formatOf('toTheMinute', undefined).format(new Date(at))
}

/** With seconds: attempts may be seconds apart, and people compare the times with their logs. The zone is always said. */
export const describeTime = (at: string, zone: Zone): string => formatOf('toTheSecond', zone).format(new Date(at))

/** To the millisecond, as the service keeps it. */
export const exactTime = (at: string, zone: Zone): string => formatOf('exact', zone).format(new Date(at))

/** A moment as one of its shapes has it: `14:00`, `Tue, 14:00 UTC`, `Mar 3`, `Tue, Mar 3`. */
export const describeStep = (at: string, shape: 'hour' | 'hourOfWeek' | 'day' | 'dayOfWeek', zone: Zone): string =>
  formatOf(shape, zone).format(new Date(at))

/** `420 ms`, `1.3 s`. */
export const describeDuration = (ms: number): string =>
  ms < SECOND_MS ? `${Math.round(ms)} ms` : `${(ms / SECOND_MS).toFixed(1)} s`
