import { Anchor, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { exactly } from '../../components/charts/numbers.ts'
import { Row } from '../../components/row.tsx'

type AttentionListProps = { title: string; total: number; more: string; children: readonly ReactNode[] }

/** What is wrong of one kind, and where the rest of it is. */
export function AttentionList({ title, total, more, children }: AttentionListProps) {
  if (children.length === 0) return null
  return (
    <Stack gap={4}>
      <Title order={3} size="h5">
        {title}
      </Title>
      <ul className="rows">{children}</ul>
      {total > children.length && (
        <Anchor component={Link} to={more} size="sm">
          {exactly(total - children.length)} more
        </Anchor>
      )}
    </Stack>
  )
}

type AttentionRowProps = { to: string; title: ReactNode; state: ReactNode; children: ReactNode }

/** One thing that is wrong: what it is, where it is looked into, and what is known of it. */
export function AttentionRow({ to, title, state, children }: AttentionRowProps) {
  return (
    <Row
      title={
        <Anchor component={Link} to={to} inherit>
          {title}
        </Anchor>
      }
      end={state}
    >
      {children}
    </Row>
  )
}
