import { Text } from '@mantine/core'
import { CodeBlock } from '../../components/code-block.tsx'
import { Section } from '../../components/section.tsx'
import type { DeliveryDetails } from './delivery.tsx'

/** The request that each attempt sends. Signatures are made anew for every attempt and are not stored. */
export function SentRequest({ delivery }: { delivery: DeliveryDetails }) {
  const { payload } = delivery
  return (
    <Section
      title="Request"
      intro="The bytes of the body are the same on every attempt; here they are set out for reading."
    >
      <CodeBlock code={headersOf(delivery)} label="Headers of the request" />
      {payload === null ? (
        <Text size="sm">The event is older than 30 days; what was sent is gone.</Text>
      ) : (
        <CodeBlock code={JSON.stringify(JSON.parse(payload), null, 2)} label="Body of the request" />
      )}
    </Section>
  )
}

function headersOf({ event_id, type, subscription_id, attempts_made }: DeliveryDetails): string {
  const last = attempts_made.at(-1)
  const timestamp = last ? Math.floor(Date.parse(last.started_at) / 1000) : '…'
  return [
    'content-type: application/json; charset=utf-8',
    `webhook-id: ${event_id}`,
    `webhook-timestamp: ${timestamp}`,
    'webhook-signature: v1,…',
    `x-event-type: ${type}`,
    `x-subscription-id: ${subscription_id}`,
    `x-delivery-attempt: ${last?.n ?? 1}`,
  ].join('\n')
}
