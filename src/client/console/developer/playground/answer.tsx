import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { CodeBlock } from '../../components/code-block.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Status } from '../../components/feedback/status.tsx'
import { OperationName } from '../../components/operation-name.tsx'
import { Section } from '../../components/section.tsx'
import { describeDuration } from '../../components/times.ts'
import { explanationAddress } from '../requests/request-filters.ts'
import { answerWords, toneOf } from '../requests/request-row.tsx'
import { useExplanation } from '../requests/use-explanation.ts'
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

/** The log of a busy service may come seconds later. */
const AGAIN_MAX = 5

function LogLine({ requestId }: { requestId: string }) {
  const { data, isPending } = useExplanation(requestId, { isFresh: true, againMax: AGAIN_MAX })
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
