import { Text } from '@mantine/core'
import { Status } from '../../components/feedback/status.tsx'
import { Instant } from '../../components/instant.tsx'
import { describeDuration } from '../../components/times.ts'
import { AttemptReason } from '../deliveries/attempt-result.tsx'
import { failureWords } from '../webhooks/failure-words.ts'
import { AttentionRow } from './attention-list.tsx'
import type { Attention } from './needs-attention.tsx'

type Troubled = Attention['subscriptions'][number]

/** A subscription that fails, is slow or disabled: the last answer, and when the next attempt is made. */
export function SubscriptionRow({ subscription }: { subscription: Troubled }) {
  const { id, application_name, url, description, last_answer } = subscription
  return (
    <AttentionRow
      to={`/developer/webhooks/${id}`}
      title={description ?? url}
      state={<State subscription={subscription} />}
    >
      <Text size="sm" className="breakable">
        {application_name} · <Answer subscription={subscription} />
      </Text>
      {last_answer?.error_class !== undefined && <AttemptReason attempt={reasonOf(last_answer)} />}
    </AttentionRow>
  )
}

const reasonOf = ({ status, error_class, detail }: NonNullable<Troubled['last_answer']>) => ({
  status,
  error_class,
  detail,
})

function State({ subscription }: { subscription: Troubled }) {
  const { status, disabled_reason, failing_since } = subscription
  if (status === 'disabled') {
    return disabled_reason === 'owner' ? (
      <Status tone="quiet">Disabled by you</Status>
    ) : (
      <Status tone="bad">Disabled</Status>
    )
  }
  if (failing_since === null) return <Status tone="warn">Slow</Status>
  const { tone, status: word } = failureWords(subscription)
  return <Status tone={tone}>{word}</Status>
}

const whyDisabled: Record<string, string | undefined> = {
  gone: 'its receiver answered 410 (Gone)',
  failing: 'no attempt succeeded for days',
  grant_lost: 'its user does not allow it any more',
}

function Answer({ subscription }: { subscription: Troubled }) {
  const { status, disabled_at, disabled_reason, last_answer, next_attempt_at, failing_since, attempt_ms } = subscription
  const why = whyDisabled[disabled_reason ?? '']
  return (
    <>
      {status === 'disabled' && disabled_at !== null && (
        <>
          disabled <Instant at={disabled_at} />
          {why && `: ${why}`}.{' '}
        </>
      )}
      {status === 'enabled' && failing_since === null && attempt_ms !== null && (
        <>takes {describeDuration(attempt_ms)} to answer, so that it gets less at a time. </>
      )}
      {last_answer !== null && (
        <>
          Last answer: {last_answer.status ?? last_answer.error_class}, <Instant at={last_answer.at} />.{' '}
        </>
      )}
      {status === 'enabled' && next_attempt_at !== null && (
        <>
          Next attempt <Instant at={next_attempt_at} />.
        </>
      )}
    </>
  )
}
