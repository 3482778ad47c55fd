import { Group, Stack, Text, Timeline } from '@mantine/core'
import { isSuccess } from '../../../../shared/delivery.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { Instant } from '../../components/instant.tsx'
import { Section } from '../../components/section.tsx'
import { describeDuration } from '../../components/times.ts'
import { AttemptReason, AttemptResult } from './attempt-result.tsx'
import type { DeliveryDetails } from './delivery.tsx'
import { NextAttempt } from './next-attempt.tsx'

type Attempt = DeliveryDetails['attempts_made'][number]

/** The attempts in their order, and when the next one is due. */
export function Attempts({ delivery: { attempts_made, due_at } }: { delivery: DeliveryDetails }) {
  return (
    <Section title="Attempts" intro={attempts_made.length === 0 ? 'None yet.' : undefined}>
      <Timeline active={attempts_made.length - 1} bulletSize={14} lineWidth={2}>
        {attempts_made.map((attempt) => (
          <Timeline.Item key={attempt.n} color={isSuccess(attempt.status) ? 'green.8' : 'red.8'}>
            <AttemptItem attempt={attempt} />
          </Timeline.Item>
        ))}
        {due_at && (
          <Timeline.Item lineVariant="dashed">
            <Text size="sm">
              <NextAttempt at={due_at} />
            </Text>
          </Timeline.Item>
        )}
      </Timeline>
    </Section>
  )
}

function AttemptItem({ attempt }: { attempt: Attempt }) {
  const { n, started_at, duration_ms, response, response_headers } = attempt
  return (
    <Stack gap="xs">
      <Group gap="0.25rem 0.75rem">
        <Text size="sm" fw={600}>
          Attempt {n}
        </Text>
        <AttemptResult attempt={attempt} />
        <Text size="sm" c="dimmed">
          <Instant at={started_at} isAbsolute /> · {describeDuration(duration_ms)}
        </Text>
      </Group>
      <AttemptReason attempt={attempt} />
      {response_headers && (
        <CodeBlock code={response_headers} label={`Headers of the answer to attempt ${n}`} maxHeight={140} />
      )}
      {response && <CodeBlock code={response} label={`Answer to attempt ${n}`} maxHeight={200} />}
    </Stack>
  )
}
