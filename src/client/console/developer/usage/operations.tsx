import { Table, Text } from '@mantine/core'
import { exactly } from '../../components/charts/numbers.ts'
import { Section } from '../../components/section.tsx'
import { describeDuration } from '../../components/times.ts'
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

/** Lets a long path break after a slash. */
const breakable = (operation: string) => operation.replaceAll('/', '/\u200b')

const OperationRow = ({ operation: { operation, requests, errors, limited, mean_ms } }: { operation: Operation }) => (
  <Table.Tr>
    <Table.Th scope="row" fw={400}>
      <Text size="sm" ff="monospace" className="breakable">
        {breakable(operation)}
      </Text>
    </Table.Th>
    <Table.Td ta="right">{exactly(requests)}</Table.Td>
    <Table.Td ta="right">{exactly(errors)}</Table.Td>
    <Table.Td ta="right" visibleFrom="sm">
      {exactly(limited)}
    </Table.Td>
    <Table.Td ta="right" visibleFrom="sm">
      {mean_ms === null ? '–' : describeDuration(mean_ms)}
    </Table.Td>
  </Table.Tr>
)
