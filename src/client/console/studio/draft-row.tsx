import { Button, Group, Text } from '@mantine/core'
import { failureOf } from '../app/failure.ts'
import { useAccount } from '../app/session.tsx'
import type { Draft } from './room.ts'

type DraftRowProps = {
  draft: Draft
  onRetry: (content: string, key: string) => Promise<void>
  onDiscard: (key: string) => void
}

/** A message that the service has not confirmed yet, or the reason why it was refused. */
export function DraftRow({ draft: { key, content, error }, onRetry, onDiscard }: DraftRowProps) {
  const { username } = useAccount()
  return (
    <li className="message" data-state={error === undefined ? 'sending' : 'failed'}>
      <div className="message-text">
        <Group gap="xs">
          <Text component="span" size="sm" fw={650}>
            {username}
          </Text>
          {error === undefined && (
            <Text component="span" size="xs" c="dimmed">
              sending…
            </Text>
          )}
        </Group>
        <Text size="sm" className="breakable">
          {content}
        </Text>
        {error !== undefined && (
          <Group gap="xs" mt={4} role="alert">
            <Text size="sm" c="var(--bad)">
              {failureOf(error).message}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => void onRetry(content, key)}>
              Try again
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => onDiscard(key)}>
              Discard
            </Button>
          </Group>
        )}
      </div>
    </li>
  )
}
