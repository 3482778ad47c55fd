import type { UsageFigures } from './usage.tsx'

const hour = new Intl.DateTimeFormat('en', { hour: 'numeric' })
const hourOfDay = new Intl.DateTimeFormat('en', { weekday: 'short', hour: 'numeric', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayOfWeek = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
})

/** The label under a step and its full name: an hour in local time, or a day, which is counted in UTC. */
export function stepNames(at: string, step: UsageFigures['step']): { at: string; mark: string; title: string } {
  const begin = new Date(at)
  if (step === 'hour') return { at, mark: hour.format(begin), title: hourOfDay.format(begin) }
  return { at, mark: day.format(begin), title: dayOfWeek.format(begin) }
}

export const spanWords = { hour: 'in the last 24 hours', day: 'in the last 30 days, by day of UTC' } as const
