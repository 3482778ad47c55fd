import { Anchor, Button, Table, Text } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import type { Outputs } from '../../app/session.tsx'
import { exactly } from '../../components/charts/numbers.ts'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Status } from '../../components/feedback/status.tsx'
import { Instant } from '../../components/instant.tsx'
import { breakable } from '../../components/operation-name.tsx'
import { Section } from '../../components/section.tsx'
import { toneOf } from './request-row.tsx'

type Summary = Outputs['requests']['summary']
type SummaryQuery = { data: Summary | undefined; error: unknown; refetch: () => unknown }

/** What failed, by operation and code; each leads to its requests. */
export function Failures({ query, onRenew }: { query: SummaryQuery; onRenew: () => void }) {
  const renew = () => {
    void query.refetch()
    onRenew()
  }
  return (
    <Section
      title="What failed"
      actions={
        <Button size="xs" variant="default" onClick={renew}>
          Renew
        </Button>
      }
    >
      <Loaded query={query} lines={2}>
        {(summary) => <Groups summary={summary} />}
      </Loaded>
    </Section>
  )
}

function Groups({ summary: { groups, omitted, is_cut } }: { summary: Summary }) {
  if (groups.length === 0) return <Status tone="good">Nothing has failed.</Status>
  return (
    <>
      <Table verticalSpacing="xs" horizontalSpacing="xs" tabularNums>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Answer</Table.Th>
            <Table.Th ta="right">Times</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Last
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <GroupRow key={`${group.operation} ${group.status} ${group.code}`} group={group} />
          ))}
        </Table.Tbody>
      </Table>
      {(omitted > 0 || is_cut) && (
        <Text size="sm" c="dimmed">
          {omitted > 0 && `${exactly(omitted)} more were not kept: there were too many at once. `}
          {is_cut && 'Of so many only the newest are counted here.'}
        </Text>
      )}
    </>
  )
}

function GroupRow({ group }: { group: Summary['groups'][number] }) {
  const [search] = useSearchParams()
  const { operation, status, code, count, last_at, last_message } = group
  const to = new URLSearchParams(search)
  to.set('operation', operation)
  to.set('status', String(status))
  if (code === null) to.delete('code')
  else to.set('code', code)
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        <Status tone={toneOf(status)}>{`${status} ${code ?? ''}`}</Status>
        <Anchor
          component={Link}
          to={{ search: to.toString() }}
          replace
          ff="monospace"
          size="sm"
          className="breakable"
          display="block"
        >
          {breakable(operation)}
        </Anchor>
        {last_message && (
          <Text size="sm" c="dimmed" className="breakable">
            {last_message}
          </Text>
        )}
      </Table.Th>
      <Table.Td ta="right">{exactly(count)}</Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        <Instant at={last_at} />
      </Table.Td>
    </Table.Tr>
  )
}
