import { Text } from '@mantine/core'
import { CodeBlock } from '../../components/code-block.tsx'
import { CopyTextButton } from '../../components/copy.tsx'
import { Section } from '../../components/section.tsx'
import { curlOf } from './curl.ts'
import type { DeliveryDetails } from './delivery.tsx'

/** The request of the last attempt as it was sent, and the same as a command. */
export function SentRequest({ delivery: { payload, attempts_made } }: { delivery: DeliveryDetails }) {
  const request = attempts_made.findLast((attempt) => attempt.request !== null)?.request ?? null
  return (
    <Section
      title="Request"
      intro="As the last attempt sent it. The bytes of the body are the same on every attempt; here they are set out for reading."
      actions={
        request !== null && payload !== null && <CopyTextButton value={curlOf(request, payload)} label="Copy as curl" />
      }
    >
      {request === null ? (
        <Text size="sm">Nothing was sent yet, or it was before we kept the head of each request.</Text>
      ) : (
        <CodeBlock code={request} label="Head of the request" />
      )}
      {payload === null ? (
        <Text size="sm">The event is older than 30 days; what was sent is gone.</Text>
      ) : (
        <CodeBlock code={JSON.stringify(JSON.parse(payload), null, 2)} label="Body of the request" />
      )}
      {request !== null && (
        <Text size="sm" c="dimmed">
          A receiver that checks the time refuses the command five minutes after the attempt; Redeliver signs anew.
        </Text>
      )}
    </Section>
  )
}
