import { Button, Group, ScrollArea, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { DraftRow } from './draft-row.tsx'
import { MessageRow } from './message-row.tsx'
import type { Room } from './use-room.ts'

/** A reader this close to the end follows the chat; one further up is reading older messages and is not scrolled. */
const NEAR_PX = 120

export function Messages({ room }: { room: Room }) {
  const { messages, drafts, query } = room
  const viewport = useReadAlong()
  return (
    <ScrollArea className="chat" type="auto" viewportRef={viewport} viewportProps={{ tabIndex: 0 }}>
      <Stack gap="xs" p="sm">
        {query.hasNextPage && (
          <Group justify="center">
            <Button
              size="xs"
              variant="default"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              Older messages
            </Button>
          </Group>
        )}
        {messages.length === 0 && drafts.length === 0 && (
          <Text size="sm" c="dimmed" ta="center" py="xl">
            Nobody has said anything yet.
          </Text>
        )}
        <div role="log" aria-label="Messages">
          <ol className="messages">
            {messages.map((message) => (
              <MessageRow key={message.id} message={message} onDelete={room.remove} />
            ))}
            {drafts.map((draft) => (
              <DraftRow key={draft.key} draft={draft} onRetry={room.send} onDiscard={room.discard} />
            ))}
          </ol>
        </div>
      </Stack>
    </ScrollArea>
  )
}

/** Keeps the newest message in view, unless the reader has scrolled away from it. */
function useReadAlong() {
  const viewport = useRef<HTMLDivElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    const box = viewport.current
    if (!box) return
    const left = box.scrollHeight - box.scrollTop - box.clientHeight
    if (isFirst.current || left < NEAR_PX) box.scrollTop = box.scrollHeight
    isFirst.current = false
  })
  return viewport
}
