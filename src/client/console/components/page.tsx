import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Link } from 'react-router'

type PageProps = {
  title: string
  /** One sentence on what this page is for. */
  intro?: ReactNode
  actions?: ReactNode
  /** The pages above this one, from the top. */
  above?: readonly { label: string; to: string }[]
  children: ReactNode
}

/** The frame of every page: its title, which the window gets too, and the path to it. */
export function Page({ title, intro, actions, above = [], children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Developer console`
  }, [title])
  return (
    <Stack gap="lg" className="page">
      <Stack gap={6}>
        {above.length > 0 && (
          <Breadcrumbs component="nav" aria-label="You are here" separatorMargin={6}>
            {above.map(({ label, to }) => (
              <Anchor key={to} component={Link} to={to} size="sm">
                {label}
              </Anchor>
            ))}
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={6} className="page-head">
            <Title order={1} className="breakable" tabIndex={-1}>
              <bdi>{title}</bdi>
            </Title>
            {intro && (
              <Text c="dimmed" maw={720} component="div">
                {intro}
              </Text>
            )}
          </Stack>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      </Stack>
      {children}
    </Stack>
  )
}
