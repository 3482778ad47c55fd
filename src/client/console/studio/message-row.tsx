import { ActionIcon, Group, Menu, Text } from '@mantine/core'
import { useAccount } from '../app/session.tsx'
import { useConfirm } from '../components/forms/confirm.tsx'
import { Icon } from '../components/icon.tsx'
import { Instant } from '../components/instant.tsx'
import type { Message } from './room.ts'
import { useBan } from './use-ban.ts'

type MessageRowProps = { message: Message; onDelete: (id: string) => Promise<void> }

export function MessageRow({ message, onDelete }: MessageRowProps) {
  const { content, created_at, user_name } = message
  return (
    <li className="message">
      <div className="message-text">
        <Group gap="xs">
          <Text component="span" size="sm" fw={650}>
            {user_name}
          </Text>
          <Text component="span" size="xs" c="dimmed">
            <Instant at={created_at} />
          </Text>
        </Group>
        <Text size="sm" className="breakable">
          {content}
        </Text>
      </div>
      <MessageMenu message={message} onDelete={onDelete} />
    </li>
  )
}

function MessageMenu({ message: { id, user_identity, user_name }, onDelete }: MessageRowProps) {
  const { id: ownId } = useAccount()
  const confirm = useConfirm()
  const { ban } = useBan()
  const remove = async () => {
    if (await confirm(deletion)) await onDelete(id)
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`What to do with the message of ${user_name}`}>
          <Icon shape="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void remove()}>Delete message</Menu.Item>
        {user_identity !== ownId && (
          <Menu.Item onClick={() => void ban({ id: user_identity, username: user_name })}>Ban {user_name}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

const deletion = {
  title: 'Delete this message?',
  body: 'It disappears for everybody. This cannot be undone.',
  action: 'Delete message',
}
