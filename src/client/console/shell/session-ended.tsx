import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type MouseEvent, useEffect } from 'react'
import { askWhoIsThere } from '../app/api.ts'
import { hearOfLogins } from '../app/logins.ts'
import { loginAddress } from '../app/session.tsx'

const address = loginAddress('/console/logged-in')

/** Lies over the page when its session has ended, until somebody has logged in again: what was typed is still there then. */
export function SessionEnded({ username }: { username: string }) {
  const queries = useQueryClient()
  useEffect(() => {
    const refresh = () => void queries.invalidateQueries()
    addEventListener('focus', refresh)
    const letGo = hearOfLogins(refresh)
    return () => {
      removeEventListener('focus', refresh)
      letGo()
    }
  }, [queries])
  return (
    <Modal
      opened
      onClose={askWhoIsThere}
      title="Your session has ended"
      centered
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      zIndex={ABOVE_ALL}
      overlayProps={{ backgroundOpacity: 0.7, blur: 8 }}
    >
      <Stack>
        <Text>
          Log in again as <b>{username}</b> to go on here: what you have typed stays as it is. Nothing was sent since.
        </Text>
        <Group justify="flex-end">
          <Button component="a" href="/console/" variant="default">
            Leave
          </Button>
          <Button component="a" href={address} target="_blank" onClick={openWindow} data-autofocus>
            Log in again
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const ABOVE_ALL = 400

/** A window that a script opens is one that it can close; where that is not allowed, the link leads there. */
function openWindow(event: MouseEvent): void {
  if (open(address, '_blank')) event.preventDefault()
}
