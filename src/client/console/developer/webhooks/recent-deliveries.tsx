import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Section } from '../../components/section.tsx'
import { DeliveryTable } from '../deliveries/delivery-table.tsx'
import type { WebhookDetails } from './webhook.tsx'

const SHOWN = 5

const STOPPED = 'Nothing here, and nothing is sent while it is disabled.'

export function RecentDeliveries({ webhook: { id: subscription, status } }: { webhook: WebhookDetails }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.deliveries.list.queryOptions({ subscription, limit: SHOWN }))
  return (
    <Section
      title="Newest deliveries"
      actions={
        <Anchor component={Link} to={`/developer/deliveries?subscription=${subscription}`} size="sm">
          All deliveries
        </Anchor>
      }
    >
      <Loaded query={query}>
        {({ items }) => <DeliveryTable deliveries={items} {...(status === 'disabled' && { none: STOPPED })} />}
      </Loaded>
    </Section>
  )
}
