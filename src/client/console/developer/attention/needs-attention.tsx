import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Status } from '../../components/feedback/status.tsx'
import { Section } from '../../components/section.tsx'
import { AttentionList } from './attention-list.tsx'
import { GivenUpRow, KeyRow, RefusedRow } from './attention-rows.tsx'
import { SubscriptionRow } from './subscription-row.tsx'

export type Attention = Outputs['applications']['attention']

const REFRESH_MS = 15_000

/** What the developer has to look at, over all applications of theirs; when there is nothing, one line says so. */
export function NeedsAttention() {
  const trpc = useTRPC()
  const query = useQuery(trpc.applications.attention.queryOptions({}, { refetchInterval: REFRESH_MS }))
  return (
    <Section title="Needs attention">
      <Loaded query={query} lines={2}>
        {(attention) => <Found attention={attention} />}
      </Loaded>
    </Section>
  )
}

function Found({ attention }: { attention: Attention }) {
  const { subscriptions, failed_deliveries, keys, failures } = attention
  const all = [subscriptions, failed_deliveries, keys, failures]
  if (all.every(({ length }) => length === 0)) return <Status tone="good">Nothing. Everything works.</Status>
  return (
    <Stack gap="lg">
      <AttentionList title="Webhooks" total={attention.subscriptions_total} more="/developer/webhooks">
        {subscriptions.map((one) => (
          <SubscriptionRow key={one.id} subscription={one} />
        ))}
      </AttentionList>
      <AttentionList
        title="Deliveries given up in the last 24 hours"
        total={attention.failed_deliveries_total}
        more="/developer/deliveries?outcome=failed"
      >
        {failed_deliveries.map((one) => (
          <GivenUpRow key={one.subscription_id} given={one} />
        ))}
      </AttentionList>
      <AttentionList
        title="Requests refused in the last hour"
        total={attention.failures_total}
        more="/developer/applications"
      >
        {failures.map((one) => (
          <RefusedRow key={one.application_id} refused={one} />
        ))}
      </AttentionList>
      <AttentionList title="API keys that end" total={attention.keys_total} more="/developer/applications">
        {keys.map((one) => (
          <KeyRow key={one.id} ending={one} />
        ))}
      </AttentionList>
    </Stack>
  )
}
