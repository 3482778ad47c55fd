import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import { useAccount } from '../app/session.tsx'
import { Icon } from '../components/icon.tsx'
import { Instant } from '../components/instant.tsx'
import type { Message } from './room.ts'
import { useBan } from './use-ban.ts'
import type { Room } from './use-room.ts'

type MessageRowProps = { message: Message; room: Pick<Room, 'remove' | 'restore' | 'leaving'> }

/** A message of the room, with what its owner can do about it at one press, and undo. */
export function MessageRow({ message, room }: MessageRowProps) {
  const { id, user_identity, user_name } = message
  const { ban, unban, isBanned } = useBan({ id: user_identity, username: user_name })
  const banAndRemove = () => {
    room.remove(id)
    ban()
  }
  const undo = () => {
    room.restore(id)
    if (isBanned) unban()
  }
  if (room.leaving.has(id)) return <LeavingMessage name={user_name} isBanned={isBanned} onUndo={undo} />
  return (
    <li className="message">
      <div className="message-text">
        <Group gap="xs">
          <Text component="span" size="sm" fw={650}>
            {user_name}
          </Text>
          <Text component="span" size="xs" c="dimmed">
            <Instant at={message.created_at} />
          </Text>
        </Group>
        <Text size="sm" className="breakable" dir="auto">
          {message.content}
        </Text>
      </div>
      <MessageButtons message={message} onDelete={() => room.remove(id)} onBan={banAndRemove} />
    </li>
  )
}

type MessageButtonsProps = { message: Message; onDelete: () => void; onBan: () => void }

function MessageButtons({ message: { user_identity, user_name }, onDelete, onBan }: MessageButtonsProps) {
  const { id: ownId } = useAccount()
  const [deletion, banning] = [`Delete the message of ${user_name}`, `Ban ${user_name} and delete the message`]
  return (
    <Group gap={2} wrap="nowrap" className="message-buttons">
      <Tooltip label={deletion}>
        <ActionIcon variant="subtle" color="gray" aria-label={deletion} onClick={onDelete}>
          <Icon shape="trash" />
        </ActionIcon>
      </Tooltip>
      {user_identity !== ownId && (
        <Tooltip label={banning}>
          <ActionIcon variant="subtle" color="gray" aria-label={banning} onClick={onBan}>
            <Icon shape="ban" />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  )
}

type LeavingMessageProps = { name: string; isBanned: boolean; onUndo: () => void }

/** In the place of a message for as long as its deletion can be undone. The focus goes with it, and is handed on at its end. */
function LeavingMessage({ name, isBanned, onUndo }: LeavingMessageProps) {
  const row = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => {
    const here = row.current
    here?.querySelector('button')?.focus({ preventScroll: true })
    return () => {
      const log = here?.closest<HTMLElement>('[tabindex="0"]')
      if (here?.contains(document.activeElement)) log?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <li className="message" data-state="leaving" ref={row}>
      <Text size="sm" c="dimmed" role="status" className="message-text">
        {isBanned ? `${name} is banned, and the message deleted.` : 'Message deleted.'}
      </Text>
      <Button size="compact-xs" variant="default" onClick={onUndo}>
        Undo
      </Button>
    </li>
  )
}
