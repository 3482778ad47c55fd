import { Anchor, Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { Problem } from '../../components/feedback/problem.tsx'
import { Section } from '../../components/section.tsx'
import { describeDuration } from '../../components/times.ts'
import { AttemptReason, AttemptResult } from '../deliveries/attempt-result.tsx'
import type { WebhookDetails } from './webhook.tsx'

type Result = Outputs['webhooks']['test']
const TEST = 'webhook.test'

/** Sends a sample at once and shows the answer of the receiver. */
export function TestSection({ webhook: { id, event_types } }: { webhook: WebhookDetails }) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const [type, setType] = useState(TEST)
  const { mutate, data, error, isPending } = useMutation(
    trpc.webhooks.test.mutationOptions({
      // not waited for: the answer, or that there is none, is told at once
      onSettled: () => void queries.invalidateQueries({ queryKey: trpc.deliveries.pathKey() }),
    }),
  )
  return (
    <Section
      title="Send a test"
      intro="One signed attempt, now, whatever the subscription’s event types and also while it is disabled. It is not repeated and counts for nothing; its sequence is 0."
    >
      <Group align="flex-end">
        <NativeSelect
          label="Sample of"
          data={[TEST, ...event_types]}
          value={type}
          onChange={({ currentTarget }) => setType(currentTarget.value)}
        />
        <Button loading={isPending} onClick={() => mutate({ id, type: type as typeof TEST })}>
          Send test
        </Button>
      </Group>
      {error && <Problem error={error} title="The test was not sent" isChange />}
      {data && !isPending && <TestResult result={data} />}
    </Section>
  )
}

function TestResult({ result }: { result: Result }) {
  const { delivery_id, duration_ms, response } = result
  return (
    <Stack gap="xs" role="status">
      <Group gap="sm">
        <AttemptResult attempt={result} />
        <Text size="sm">after {describeDuration(duration_ms)}</Text>
        <Anchor component={Link} to={`/developer/deliveries/${delivery_id}`} size="sm">
          See the delivery
        </Anchor>
      </Group>
      <AttemptReason attempt={result} />
      {response && <CodeBlock code={response} label="Answer of the receiver" maxHeight={200} />}
    </Stack>
  )
}
