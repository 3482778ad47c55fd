import { DAY_MS, HOUR_MS } from '../../time/durations.ts'

/** How far back usage is shown, and in which steps: of whole hours, or whole days of UTC. The last one is under way. */
export const usagePeriods = {
  day: { step: 'hour', stepMs: HOUR_MS, count: 24 },
  month: { step: 'day', stepMs: DAY_MS, count: 30 },
} as const
export type UsagePeriod = keyof typeof usagePeriods

/** The beginnings of the steps that end with the one that holds `now`, oldest first. */
export function stepsUntil(now: Date, span: UsagePeriod): Date[] {
  const { stepMs, count } = usagePeriods[span]
  const lastMs = now.getTime() - (now.getTime() % stepMs)
  return Array.from({ length: count }, (_, i) => new Date(lastMs - (count - 1 - i) * stepMs))
}
