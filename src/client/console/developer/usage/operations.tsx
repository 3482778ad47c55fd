import { Anchor, Table } from '@mantine/core'
import { Link } from 'react-router'
import { exactly } from '../../components/charts/numbers.ts'
import { OperationName } from '../../components/operation-name.tsx'
import { Section } from '../../components/section.tsx'
import { describeDuration } from '../../components/times.ts'
import { useApplication } from '../applications/application.tsx'
import { requestLogAddress } from '../requests/request-filters.ts'
import type { UsageFigures } from './usage.tsx'

type Operation = UsageFigures['operations'][number]

/** The operations called most; on narrow screens the less important columns move under the name. */
export function Operations({ operations }: { operations: readonly Operation[] }) {
  if (operations.length === 0) return null
  return (
    <Section title="By operation">
      <Table verticalSpacing="xs" horizontalSpacing="xs" tabularNums>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Operation</Table.Th>
            <Table.Th ta="right">Requests</Table.Th>
            <Table.Th ta="right">Errors</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Over the limit
            </Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Average time
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {operations.map((operation) => (
            <OperationRow key={operation.operation} operation={operation} />
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}

const OperationRow = ({ operation: { operation, requests, errors, limited, mean_ms } }: { operation: Operation }) => (
  <Table.Tr>
    <Table.Th scope="row" fw={400}>
      <OperationName operation={operation} />
    </Table.Th>
    <Table.Td ta="right">{exactly(requests)}</Table.Td>
    <Table.Td ta="right">
      <LoggedCount count={errors} filters={{ operation, status: 'failed' }} />
    </Table.Td>
    <Table.Td ta="right" visibleFrom="sm">
      <LoggedCount count={limited} filters={{ operation, status: '429' }} />
    </Table.Td>
    <Table.Td ta="right" visibleFrom="sm">
      {mean_ms === null ? '–' : describeDuration(mean_ms)}
    </Table.Td>
  </Table.Tr>
)

/** A number that leads to the requests that it counts. */
export function LoggedCount({ count, filters }: { count: number; filters: Record<string, string> }) {
  const { id } = useApplication()
  if (count === 0) return exactly(count)
  return (
    <Anchor component={Link} to={requestLogAddress(id, filters)} inherit>
      {exactly(count)}
    </Anchor>
  )
}
