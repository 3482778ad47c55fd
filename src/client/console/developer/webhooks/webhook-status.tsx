import { DISABLE_AFTER_DAYS, DISABLE_AFTER_FAILURES } from '../../../../shared/delivery.ts'
import { useTimeZone } from '../../app/time-style.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Status } from '../../components/feedback/status.tsx'
import { Instant } from '../../components/instant.tsx'
import { NextAttempt } from '../deliveries/next-attempt.tsx'
import { failureWords, type Health, healthWords, slowWords } from './failure-words.ts'
import type { Webhook } from './webhooks.tsx'

const reasons: Record<string, string | undefined> = {
  gone: 'Its receiver answered 410 (Gone).',
  failing: `For ${DISABLE_AFTER_DAYS} days no attempt succeeded, and at least ${DISABLE_AFTER_FAILURES} failed.`,
  grant_lost:
    'The grant of its user to the application is gone, or one of the two was stopped: it can be enabled once that is mended.',
  owner: 'It was disabled by hand.',
}

export function WebhookStatus({ webhook }: { webhook: Health }) {
  const { tone, word } = healthWords(webhook)
  return <Status tone={tone}>{word}</Status>
}

/** What its owner has to know: that it will be disabled, or why it was. */
export function WebhookNotice({ webhook }: { webhook: Webhook }) {
  const { status, disabled_reason, disabled_at } = webhook
  if (status !== 'disabled') return <FailureNotice webhook={webhook} />
  return (
    <Notice tone="bad" title="Disabled">
      {reasons[disabled_reason ?? '']} Nothing has been sent
      {disabled_at && (
        <>
          {' '}
          since <Instant at={disabled_at} isAbsolute />
        </>
      )}
      ; events are kept for 30 days and can be replayed once you enable it again.
    </Notice>
  )
}

function FailureNotice({ webhook }: { webhook: Webhook }) {
  const { failing_since, failed_attempts, resting_until, next_attempt_at } = webhook
  const zone = useTimeZone()
  const slow = slowWords(webhook)
  if (slow !== null) {
    return (
      <Notice tone="warn" title="Slow">
        {slow}
      </Notice>
    )
  }
  if (failing_since === null) return null
  const { tone, title, warning } = failureWords(webhook, zone)
  return (
    <Notice tone={tone} title={title}>
      No attempt has succeeded since <Instant at={failing_since} isAbsolute end=":" /> {failed_attempts} failed.
      {resting_until ? (
        <>
          {' '}
          To spare your receiver, the next attempt is made <Instant at={resting_until} end="." />
        </>
      ) : (
        next_attempt_at && (
          <>
            {' '}
            <NextAttempt at={next_attempt_at} end="." />
          </>
        )
      )}
      {warning && ` ${warning}`}
    </Notice>
  )
}
