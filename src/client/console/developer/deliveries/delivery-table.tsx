import { Anchor, Code, Table, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { Outputs } from '../../app/session.tsx'
import { Instant } from '../../components/instant.tsx'
import { NextAttempt } from './next-attempt.tsx'
import { Outcome } from './outcome.tsx'

export type Delivery = Outputs['deliveries']['list']['items'][number]

type DeliveryTableProps = {
  deliveries: Delivery[]
  isFiltered?: boolean
  /** Whether they are those of several subscriptions: then each says which. */
  isOfSeveral?: boolean
  /** What there is to say when there is none. */
  none?: string
}

const NONE_YET =
  'Nothing here yet. As soon as something happens that a subscription asks for, it appears without a reload.'

/** Deliveries, one per line; on narrow screens the less important columns move under the type. */
export function DeliveryTable({ deliveries, isFiltered, isOfSeveral = false, none = NONE_YET }: DeliveryTableProps) {
  if (deliveries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {isFiltered ? 'No delivery fits the filters.' : none}
      </Text>
    )
  }
  return (
    <Table verticalSpacing="xs" horizontalSpacing="xs" className="deliveries">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Event</Table.Th>
          <Table.Th>Outcome</Table.Th>
          <Table.Th visibleFrom="sm">Attempts</Table.Th>
          <Table.Th visibleFrom="sm">When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} isOfSeveral={isOfSeveral} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function DeliveryRow({ delivery, isOfSeveral }: { delivery: Delivery; isOfSeveral: boolean }) {
  const { id, type, event_id, subscription_url, attempts, created_at, reason } = delivery
  return (
    <Table.Tr data-outcome={delivery.outcome}>
      <Table.Td>
        <Anchor component={Link} to={`/developer/deliveries/${id}`} size="sm" fw={600}>
          {type}
        </Anchor>
        {isOfSeveral && (
          <Text size="xs" className="breakable">
            {subscription_url}
          </Text>
        )}
        <Text size="xs" c="dimmed" className="breakable" visibleFrom="sm">
          {event_id}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          <Instant at={created_at} />
        </Text>
      </Table.Td>
      <Table.Td>
        <Outcome delivery={delivery} />
        <LastAnswer delivery={delivery} />
        {reason && (
          <Text size="xs" c="dimmed">
            <Code>{reason}</Code>
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">{attempts}</Table.Td>
      <Table.Td visibleFrom="sm">
        <Instant at={created_at} />
      </Table.Td>
    </Table.Tr>
  )
}

/** What the receiver said last, and when it is asked again. */
function LastAnswer({ delivery: { last_status, last_error_class, due_at, attempts } }: { delivery: Delivery }) {
  const answer = last_status ?? last_error_class
  const next = attempts > 0 && due_at
  if (answer === null && !next) return null
  return (
    <Text size="xs" c="dimmed">
      {answer}
      {answer !== null && next && ' · '}
      {next && <NextAttempt at={next} />}
    </Text>
  )
}
