import { Anchor, Stack, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { statusOf } from '../../app/failure.ts'
import type { Outputs } from '../../app/session.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Status } from '../../components/feedback/status.tsx'
import { Instant } from '../../components/instant.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { Name } from '../../components/name.tsx'
import { OperationName } from '../../components/operation-name.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { describeDuration } from '../../components/times.ts'
import { ExplainRequest } from './explain-request.tsx'
import { requestLogAddress } from './request-filters.ts'
import { answerWords, RequestFacts, toneOf } from './request-row.tsx'
import { useExplanation } from './use-explanation.ts'

type Answer = Outputs['requests']['explain'][number]

const AGAIN_MAX = 2
const NOT_FOUND = 404

/** Why a request was answered as it was, by the identifier that the answer had. */
export function Explanation() {
  const { requestId = '' } = useParams()
  const query = useExplanation(requestId, { againMax: AGAIN_MAX })
  return (
    <Page title="A request and its answer" intro="By the X-Request-Id that every answer of the API has.">
      <ExplainRequest key={requestId} initial={requestId} />
      {query.isPending && query.failureCount > 0 && (
        <Text size="sm" c="dimmed">
          It is not there yet: an answer is kept within seconds. Looking again…
        </Text>
      )}
      <Loaded query={query} failed={statusOf(query.error) === NOT_FOUND ? 'Nothing is kept of it' : undefined}>
        {(answers) => answers.map((answer) => <AnswerSection key={answer.at + answer.operation} answer={answer} />)}
      </Loaded>
    </Page>
  )
}

function AnswerSection({ answer }: { answer: Answer }) {
  const { application_id, application_name, operation, status, at, message, duration_ms, cause, remedy, key } = answer
  return (
    <Section title={answerWords(answer)} intro={<OperationName operation={operation} />}>
      <Stack gap="xs">
        {message && <Text className="breakable">{message}</Text>}
        {cause && cause !== message && (
          <Text>
            <Markdown text={cause} />
          </Text>
        )}
        {remedy && (
          <Text>
            <strong>What to do: </strong>
            <Markdown text={remedy} />
          </Text>
        )}
      </Stack>
      <Facts>
        <Fact name="Answered">
          <Status tone={toneOf(status)}>{String(status)}</Status>
        </Fact>
        <Fact name="When">
          <Instant at={at} isAbsolute />
        </Fact>
        <Fact name="Took">{describeDuration(duration_ms)}</Fact>
        <Fact name="Application">
          <Anchor component={Link} to={requestLogAddress(application_id)} size="sm">
            <Name>{application_name}</Name>
          </Anchor>
        </Fact>
        {key && (
          <Fact name="Key">
            <Anchor component={Link} to={`/developer/applications/${application_id}/keys`} size="sm">
              <Name>{key.name}</Name>
            </Anchor>{' '}
            …{key.last4} <KeyEnd credential={key} />
          </Fact>
        )}
      </Facts>
      <RequestFacts request={key ? { ...answer, credential_id: null } : answer} />
    </Section>
  )
}

function KeyEnd({ credential: { revoked_at, expires_at } }: { credential: NonNullable<Answer['key']> }) {
  const hasExpired = expires_at !== null && Date.parse(expires_at) <= Date.now()
  if (revoked_at !== null) {
    return (
      <>
        (revoked <Instant at={revoked_at} end=")" />
      </>
    )
  }
  if (!hasExpired) return null
  return (
    <>
      (expired <Instant at={expires_at} end=")" />
    </>
  )
}
