import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { MESSAGE_LENGTH_MAX } from '../../../shared/limits.ts'
import { Icon } from '../components/icon.tsx'

/** The input for a new message; Enter sends it. */
export function Composer({ onSend }: { onSend: (content: string) => Promise<void> }) {
  const [content, setContent] = useState('')
  const length = [...content].length
  const isTooLong = length > MESSAGE_LENGTH_MAX
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    if (content.trim() === '' || isTooLong) return
    setContent('')
    void onSend(content)
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" wrap="nowrap" gap="xs">
        <TextInput
          flex={1}
          aria-label="Message"
          placeholder="Say something"
          autoComplete="off"
          value={content}
          onChange={({ currentTarget }) => setContent(currentTarget.value)}
          error={isTooLong && `${length} of ${MESSAGE_LENGTH_MAX} characters`}
        />
        <Button type="submit" leftSection={<Icon shape="send" />}>
          Send
        </Button>
      </Group>
    </form>
  )
}
