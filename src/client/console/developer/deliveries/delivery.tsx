import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Live } from '../../components/feedback/live.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { useAction } from '../../components/forms/action.ts'
import { Instant } from '../../components/instant.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { useMay } from '../use-applications.ts'
import { Attempts } from './attempts.tsx'
import { Outcome } from './outcome.tsx'
import { outcomes } from './outcomes.ts'
import { SentRequest } from './sent-request.tsx'
import { useWatchedDeliveries } from './use-watched-deliveries.ts'

export type DeliveryDetails = Outputs['deliveries']['get']

/** One delivery: what was sent, every attempt with its answer, and when the next one is due. */
export function DeliveryPage() {
  const trpc = useTRPC()
  const { id = '' } = useParams()
  const query = useQuery(trpc.deliveries.get.queryOptions({ id }))
  const { data: delivery } = query
  const stream = useWatchedDeliveries(delivery && { subscription: delivery.subscription_id })
  const above = [
    {
      label: 'Deliveries',
      to: `/developer/deliveries${delivery ? `?subscription=${delivery.subscription_id}` : ''}`,
    },
  ]
  return (
    <Page title={delivery?.type ?? 'Delivery'} above={above} actions={delivery && <Redeliver delivery={delivery} />}>
      <Loaded query={query} lines={4}>
        {(found) => (
          <Stack gap="lg">
            <Section title="Delivery" actions={<Live status={stream} />}>
              <Summary delivery={found} />
            </Section>
            <Attempts delivery={found} />
            <SentRequest delivery={found} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Summary({ delivery }: { delivery: DeliveryDetails }) {
  const { id, event_id, subscription_id, subscription_url, outcome, reason, created_at, finished_at } = delivery
  return (
    <Facts>
      <Fact name="Outcome">
        <Outcome delivery={delivery} />
        <Text size="sm" c="dimmed">
          {outcomes[outcome].meaning}
          {reason && ` (${reason})`}
        </Text>
      </Fact>
      <Fact name="Identifier">
        <Copyable value={id} label="identifier of the delivery" />
      </Fact>
      <Fact name="Event (webhook-id)">
        <Copyable value={event_id} label="identifier of the event" />
      </Fact>
      <Fact name="Subscription">
        <Anchor component={Link} to={`/developer/webhooks/${subscription_id}`} size="sm" className="breakable">
          {subscription_url || subscription_id}
        </Anchor>
      </Fact>
      <Fact name="Happened">
        <Instant at={created_at} isAbsolute />
      </Fact>
      <Fact name="Finished">{finished_at ? <Instant at={finished_at} isAbsolute /> : 'Not yet'}</Fact>
    </Facts>
  )
}

function Redeliver({ delivery: { id, reason, subscription_id } }: { delivery: DeliveryDetails }) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.deliveries.redeliver.mutationOptions(), {
    done: 'It is sent again.',
    failed: 'It was not sent again',
    refresh: trpc.deliveries.pathKey(),
  })
  const webhook = useQuery(trpc.webhooks.get.queryOptions({ id: subscription_id }, { retry: false }))
  const mayRedeliver = useMay('developer', webhook.data?.application_id)
  if (reason === 'test' || !mayRedeliver) return null
  return (
    <Button loading={isPending} onClick={() => void run({ id })}>
      Redeliver
    </Button>
  )
}
