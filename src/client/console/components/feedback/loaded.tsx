import { Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { Problem } from './problem.tsx'

type LoadedProps<Data> = {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  /** How many lines stand for what is being loaded. */
  lines?: number
  /** Says in other words that it failed. */
  failed?: string | undefined
  children: (data: Data) => ReactNode
}

/** The result of a query; until then a placeholder, or why it failed. A result stays while it is loaded again. */
export function Loaded<Data>({ query, lines = 3, failed = 'This could not be loaded', children }: LoadedProps<Data>) {
  const { data, error, refetch } = query
  if (data !== undefined) return children(data)
  if (error) return <Problem error={error} title={failed} onRetry={() => void refetch()} />
  return <Loading lines={lines} />
}

const outline = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']

function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status">
      <VisuallyHidden>Loading…</VisuallyHidden>
      {outline.slice(0, lines).map((line) => (
        <Skeleton key={line} height={44} radius="md" />
      ))}
    </Stack>
  )
}
