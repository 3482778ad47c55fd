import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { holdPage } from '../app/unsaved.ts'
import { CopyTextButton } from './copy.tsx'
import { Notice } from './feedback/notice.tsx'

export type Secret = { title: string; value: string; hint: string }

/** Keeps the page while a secret is on it that cannot be shown again, until the returned function is called, when somebody says that it is kept. */
export function useHeldSecret(isShown: boolean): () => void {
  const isKept = useRef(false)
  useEffect(() => {
    if (!isShown) return
    isKept.current = false
    return holdPage({ isAtStake: () => !isKept.current, words: 'A secret is shown only once. Have you kept it?' })
  }, [isShown])
  return () => {
    isKept.current = true
  }
}

/** A secret that is shown only once. A click beside the dialogue does not close it, since that would lose the secret. */
export function ShownOnce({ secret, onClose }: { secret: Secret | undefined; onClose: () => void }) {
  const letGo = useHeldSecret(secret !== undefined)
  const close = () => {
    letGo()
    onClose()
  }
  return (
    <Modal
      opened={secret !== undefined}
      onClose={close}
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
            <Button variant="default" onClick={close}>
              I have kept it
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
