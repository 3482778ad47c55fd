import { DISABLE_AFTER_FAILURES, SLOW_MS } from '../../../../shared/delivery.ts'
import { describeDuration, describeTime } from '../../components/times.ts'

type Failing = { warning_days: number | null; disables_at: string | null; failed_attempts: number }
type FailureWords = { tone: 'warn' | 'bad'; status: string; title: string; warning: string | null }

export type Health = Failing & {
  status: string
  disabled_reason: string | null
  failing_since: string | null
  attempt_ms: number | null
}

const URGENT_DAYS = 3

/** The state of a subscription in a word or two, the same on every page. */
export function healthWords(health: Health): { tone: 'good' | 'warn' | 'bad' | 'quiet'; word: string } {
  const { status, disabled_reason, failing_since } = health
  if (status === 'disabled') {
    return disabled_reason === 'owner' ? { tone: 'quiet', word: 'Disabled by hand' } : { tone: 'bad', word: 'Disabled' }
  }
  if (failing_since !== null) {
    const { tone, status: word } = failureWords(health)
    return { tone, word }
  }
  return slowWords(health) === null ? { tone: 'good', word: 'Enabled' } : { tone: 'warn', word: 'Slow' }
}

/** What it means that a receiver is slow; null for one that is not, or that fails. */
export const slowWords = ({ status, failing_since, attempt_ms }: Health): string | null =>
  status === 'enabled' && failing_since === null && attempt_ms !== null && attempt_ms > SLOW_MS
    ? `Takes ${describeDuration(attempt_ms)} to answer, so that it gets less at a time.`
    : null

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
