import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** Stands in for an empty list: says what will be here and how to begin. */
export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl" className="empty">
      <Stack align="center" gap="sm">
        <Title order={2} size="h3" ta="center">
          {title}
        </Title>
        <Text c="dimmed" ta="center" maw={460} component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  )
}
