import { Anchor, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Status } from '../../components/feedback/status.tsx'
import { OperationName } from '../../components/operation-name.tsx'
import { Section } from '../../components/section.tsx'
import { describeDuration } from '../../components/times.ts'
import { explanationAddress } from '../requests/request-filters.ts'
import { answerWords, toneOf } from '../requests/request-row.tsx'
import type { PlaygroundAnswer } from './use-sender.ts'

/** An answer with its headers and its line in the request log. */
export function Answer({ answer }: { answer: PlaygroundAnswer }) {
  const { status, durationMs, requestId, headers, text } = answer
  return (
    <Section title="Answer">
      <Group gap="md" role="status">
        <Status tone={toneOf(status)}>{String(status)}</Status>
        <Text size="sm" c="dimmed">
          {describeDuration(durationMs)}
        </Text>
      </Group>
      {text === '' ? (
        <Text size="sm" c="dimmed">
          It has no body.
        </Text>
      ) : (
        <CodeBlock code={indented(text)} label="What was answered" />
      )}
      <details className="more">
        <summary>{`${headers.length} headers`}</summary>
        <Facts>
          {headers.map(([name, value]) => (
            <Fact key={name} name={name}>
              <span className="breakable">{value}</span>
            </Fact>
          ))}
        </Facts>
      </details>
      {requestId !== null && <LogLine key={requestId} requestId={requestId} />}
    </Section>
  )
}

const AGAIN_MS = 1_000
/** It is stored within seconds. */
const TRIES_MAX = 6

function LogLine({ requestId }: { requestId: string }) {
  const trpc = useTRPC()
  const { data, isPending } = useQuery(
    trpc.requests.explain.queryOptions({ request_id: requestId }, { retry: TRIES_MAX, retryDelay: AGAIN_MS }),
  )
  if (isPending) {
    return (
      <Text size="sm" c="dimmed">
        Looking for it in the request log…
      </Text>
    )
  }
  const [line] = data ?? []
  if (!line) {
    return (
      <Text size="sm" c="dimmed">
        Not in the request log: of what succeeds a sample is kept.
      </Text>
    )
  }
  return (
    <Text size="sm" component="div">
      In the request log: <Status tone={toneOf(line.status)}>{answerWords(line)}</Status>{' '}
      <OperationName operation={line.operation} /> ·{' '}
      <Anchor component={Link} to={explanationAddress(requestId)} size="sm">
        Explain this answer
      </Anchor>
    </Text>
  )
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
