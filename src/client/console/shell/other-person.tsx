import { Button, Group, Modal, Stack, Text } from '@mantine/core'

/** Somebody else has logged in meanwhile: nothing of this page may be sent in their name. */
export function OtherPerson({ username, before }: { username: string; before: string }) {
  return (
    <Modal opened onClose={() => {}} title="Somebody else is logged in" centered withCloseButton={false} zIndex={400}>
      <Stack>
        <Text>
          You are logged in as <b>{username}</b> now, and this page was opened by <b>{before}</b>.
        </Text>
        <Group justify="flex-end">
          <Button onClick={() => location.assign('/console/')}>Go on as {username}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
