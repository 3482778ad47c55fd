import { DISABLE_AFTER_FAILURES } from '../../../../shared/delivery.ts'
import { describeTime } from '../../components/times.ts'

type Failing = { warning_days: number | null; disables_at: string | null; failed_attempts: number }
type FailureWords = { tone: 'warn' | 'bad'; status: string; title: string; warning: string | null }

const URGENT_DAYS = 3

/** The warning about a failing subscription: from the first day when it will be disabled, from the third more urgently. */
export function failureWords(failing: Failing, zone?: string): FailureWords {
  const { warning_days, disables_at, failed_attempts } = failing
  if (warning_days === null || disables_at === null) {
    return { tone: 'warn', status: 'Failing', title: 'Failing', warning: null }
  }
  const isLate = failed_attempts < DISABLE_AFTER_FAILURES ? `, once ${DISABLE_AFTER_FAILURES} attempts have failed` : ''
  const when = `${describeTime(disables_at, zone)}${isLate}`
  if (warning_days < URGENT_DAYS) {
    const title = 'Failing for more than a day'
    return {
      tone: 'warn',
      status: 'Failing',
      title,
      warning: `Unless an attempt succeeds, it will be disabled on ${when}.`,
    }
  }
  return {
    tone: 'bad',
    status: 'About to be disabled',
    title: `About to be disabled: failing for ${warning_days} days`,
    warning: `Repair the receiver now. Unless an attempt succeeds, nothing more is sent from ${when}.`,
  }
}
