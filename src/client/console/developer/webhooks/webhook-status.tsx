import { Instant } from '../../components/instant.tsx'
import { Notice } from '../../components/notice.tsx'
import { Status } from '../../components/status.tsx'
import type { Webhook } from './webhooks.tsx'

const reasons: Record<string, string | undefined> = {
  gone: 'Its receiver answered 410 (Gone).',
  failing: 'For five days no attempt succeeded, and at least 20 failed.',
  grant_lost:
    'The grant of its user to the application is gone, or one of the two was stopped: it can be enabled once that is mended.',
  owner: 'You have disabled it.',
}

export function WebhookStatus({ webhook: { status, failing_since } }: { webhook: Webhook }) {
  if (status === 'disabled') return <Status tone="bad">Disabled</Status>
  if (failing_since !== null) return <Status tone="warn">Failing</Status>
  return <Status tone="good">Enabled</Status>
}

/** What its owner has to know: why it is disabled, or that it will be. */
export function WebhookNotice({ webhook }: { webhook: Webhook }) {
  const { status, disabled_reason, disabled_at } = webhook
  if (status !== 'disabled') return <FailureNotice webhook={webhook} />
  return (
    <Notice tone="bad" title="Disabled">
      {reasons[disabled_reason ?? '']} Nothing is sent
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
  const { failing_since, failed_attempts, resting_until, warning_days } = webhook
  if (failing_since === null) return null
  return (
    <Notice tone="warn" title="Failing">
      No attempt has succeeded since <Instant at={failing_since} isAbsolute />: {failed_attempts} failed.
      {resting_until && (
        <>
          {' '}
          To spare your receiver, the next attempt is made <Instant at={resting_until} />.
        </>
      )}
      {warning_days !== null && ' A subscription is disabled after five days without a success and 20 failed attempts.'}
    </Notice>
  )
}
