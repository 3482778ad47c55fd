import { ScrollArea, Table } from '@mantine/core'
import type { ChartProps } from './chart.tsx'

/** The numbers of a chart as a table, folded until opened. The newest step comes first. */
export function ChartTable({ label, series, steps }: Omit<ChartProps, 'describe'>) {
  return (
    <details className="chart-numbers">
      <summary>{label} in numbers</summary>
      <ScrollArea.Autosize
        mah={320}
        type="auto"
        offsetScrollbars="y"
        viewportProps={{ tabIndex: 0, 'aria-label': label, role: 'region' }}
      >
        <Table verticalSpacing={4} horizontalSpacing={4} tabularNums>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Time</Table.Th>
              {series.map(({ name }) => (
                <Table.Th key={name} ta="right">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {steps.toReversed().map(({ at, title, values }) => (
              <Table.Tr key={at}>
                <Table.Th scope="row" fw={400}>
                  {title}
                </Table.Th>
                {series.map(({ name }, i) => (
                  <Table.Td key={name} ta="right">
                    {values[i]}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </details>
  )
}
