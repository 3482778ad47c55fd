import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Instant } from './instant.tsx'
import { Name } from './name.tsx'

/** The name of a key beside what may be shown of it; `children`: its state, if it has any. */
export function KeyTitle({ name, shown, children }: { name: string; shown: string; children?: ReactNode }) {
  return (
    <Group gap="0.25rem 0.75rem">
      <Text fw={600}>
        <Name>{name}</Name>
      </Text>
      <Text ff="monospace" size="sm" c="dimmed">
        {shown}
      </Text>
      {children}
    </Group>
  )
}

/** When a key was last used; `children`: its other dates. */
export function KeyDates({ lastUsedAt, children }: { lastUsedAt: string | null; children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {lastUsedAt === null ? (
        'Never used'
      ) : (
        <>
          Last used <Instant at={lastUsedAt} />
        </>
      )}{' '}
      {children}
    </Text>
  )
}

/** A change of a key: `ask` asks whether it is meant, and makes it. */
type Change = { isPending: boolean; ask: () => Promise<unknown> }

/** What can be done with a key; without `roll` that is not offered. */
export function KeyButtons({ roll, revoke }: { roll?: Change | undefined; revoke: Change }) {
  return (
    <Group gap="xs">
      {roll && (
        <Button size="xs" variant="default" loading={roll.isPending} onClick={() => void roll.ask()}>
          Roll
        </Button>
      )}
      <Button size="xs" variant="default" loading={revoke.isPending} onClick={() => void revoke.ask()}>
        Revoke
      </Button>
    </Group>
  )
}
