import { describeStep } from '../../components/times.ts'

type StepNames = { at: string; mark: string; title: string }

/** The label under a step and its full name: an hour in the zone in which times are shown, or a day, which is counted in UTC. */
export function stepNames(at: string, step: 'hour' | 'day', zone: string | undefined): StepNames {
  if (step === 'hour') return { at, mark: describeStep(at, 'hour', zone), title: describeStep(at, 'hourOfWeek', zone) }
  return { at, mark: describeStep(at, 'day', 'UTC'), title: describeStep(at, 'dayOfWeek', 'UTC') }
}

export const spanWords = { hour: 'in the last 24 hours', day: 'in the last 30 days, by day of UTC' } as const
