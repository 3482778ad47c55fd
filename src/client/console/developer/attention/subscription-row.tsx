import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { useTimeZone } from '../../app/time-style.ts'
import { Instant } from '../../components/instant.tsx'
import { Name } from '../../components/name.tsx'
import { AttemptReason } from '../deliveries/attempt-result.tsx'
import { NextAttempt } from '../deliveries/next-attempt.tsx'
import { failureWords, slowWords } from '../webhooks/failure-words.ts'
import { WebhookStatus } from '../webhooks/webhook-status.tsx'
import { AttentionRow } from './attention-list.tsx'
import type { Attention } from './needs-attention.tsx'

type Troubled = Attention['subscriptions'][number]

/** A subscription that fails, is slow or disabled: the last answer, and when the next attempt is made. */
export function SubscriptionRow({ subscription }: { subscription: Troubled }) {
  const { id, application_name, url, description, last_answer } = subscription
  return (
    <AttentionRow
      to={`/developer/webhooks/${id}`}
      title={<Name>{description ?? url}</Name>}
      state={<WebhookStatus webhook={subscription} />}
    >
      <Text size="sm" className="breakable">
        <Name>{application_name}</Name>
        <Known subscription={subscription} />
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

const whyDisabled: Record<string, string | undefined> = {
  gone: 'its receiver answered 410 (Gone)',
  failing: 'no attempt succeeded for days',
  grant_lost: 'its user does not allow it any more',
}

/** What is known of it, a sentence each. */
function Known({ subscription }: { subscription: Troubled }) {
  const zone = useTimeZone()
  const { status, failing_since } = subscription
  const isFailing = status === 'enabled' && failing_since !== null
  const sentences = [
    { name: 'disabled', words: disabledWords(subscription) },
    { name: 'slow', words: slowWords(subscription) },
    { name: 'answer', words: answerOf(subscription) },
    { name: 'next', words: nextWords(subscription) },
    { name: 'warning', words: isFailing ? failureWords(subscription, zone).warning : null },
  ].filter(({ words }) => words !== null)
  if (sentences.length === 0) return null
  return (
    <>
      {' · '}
      {sentences.map(({ name, words }) => (
        <Fragment key={name}>{words} </Fragment>
      ))}
    </>
  )
}

function disabledWords({ status, disabled_at, disabled_reason }: Troubled) {
  if (status !== 'disabled' || disabled_at === null) return null
  const why = whyDisabled[disabled_reason ?? '']
  return (
    <>
      Disabled <Instant at={disabled_at} end={why ? ':' : '.'} /> {why && `${why}.`}
    </>
  )
}

const answerOf = ({ last_answer }: Troubled) =>
  last_answer && (
    <>
      Last answer: {last_answer.status ?? last_answer.error_class}, <Instant at={last_answer.at} end="." />
    </>
  )

const nextWords = ({ status, next_attempt_at }: Troubled) =>
  status === 'enabled' && next_attempt_at !== null ? <NextAttempt at={next_attempt_at} end="." /> : null
