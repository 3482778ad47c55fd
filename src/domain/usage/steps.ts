import { DAY_MS, HOUR_MS } from '../../time/durations.ts'

/** How far back usage is shown, and in which steps: hours, or days of UTC. The last step has not ended yet. */
export const usagePeriods = {
  day: { step: 'hour', stepMs: HOUR_MS, count: 24 },
  month: { step: 'day', stepMs: DAY_MS, count: 30 },
} as const
export type UsagePeriod = keyof typeof usagePeriods

/** When each step begins, oldest first; the last one contains `now`. */
export function stepsUntil(now: Date, span: UsagePeriod): Date[] {
  const { stepMs, count } = usagePeriods[span]
  const lastMs = now.getTime() - (now.getTime() % stepMs)
  return Array.from({ length: count }, (_, i) => new Date(lastMs - (count - 1 - i) * stepMs))
}
