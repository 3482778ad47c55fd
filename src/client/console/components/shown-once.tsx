import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { holdPage } from '../app/unsaved.ts'
import { CopyTextButton } from './copy.tsx'
import { Notice } from './feedback/notice.tsx'

export type Secret = { title: string; value: string; hint: string }

/** Keeps the page while a secret is on it that cannot be shown again. */
export function useHeldSecret(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return
    return holdPage({ isAtStake: () => true, words: 'The secret on this page is shown only once. Have you kept it?' })
  }, [isShown])
}

/** A secret that is shown only once. A click beside the dialogue does not close it, since that would lose the secret. */
export function ShownOnce({ secret, onClose }: { secret: Secret | undefined; onClose: () => void }) {
  useHeldSecret(secret !== undefined)
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={secret?.title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      centered
    >
      {secret && (
        <Stack>
          <Notice tone="warn" title="Shown once">
            Keep it somewhere safe now: we store only what lets us recognise it, and cannot show it again.
          </Notice>
          <Text component="code" ff="monospace" className="secret" data-testid="secret">
            {secret.value}
          </Text>
          <Text size="sm" c="dimmed">
            {secret.hint}
          </Text>
          <Group justify="flex-end">
            <CopyTextButton value={secret.value} label="Copy" />
            <Button variant="default" onClick={onClose}>
              I have kept it
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
