import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

type SectionProps = { title: string; intro?: ReactNode; actions?: ReactNode; children: ReactNode }

/** A card of a page with a heading of its own. */
export function Section({ title, intro, actions, children }: SectionProps) {
  const id = useId()
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2}>
            <Title order={2} id={id}>
              <bdi>{title}</bdi>
            </Title>
            {intro && (
              <Text size="sm" c="dimmed" maw={640} component="div">
                {intro}
              </Text>
            )}
          </Stack>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
