import { Button, Group, ScrollArea, Stack, Text } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import { DraftRow } from './draft-row.tsx'
import { MessageRow } from './message-row.tsx'
import type { Room } from './use-room.ts'

/** A reader this close to the end follows the chat; one further up is reading older messages and is not scrolled. */
const NEAR_PX = 120

export function Messages({ room }: { room: Room }) {
  const { messages, drafts, query } = room
  const { viewport, note } = useReadAlong()
  const loadOlder = async () => {
    note() // where the reader is now: the event of a scroll may not have come yet
    const { hasNextPage } = await query.fetchNextPage()
    if (!hasNextPage) viewport.current?.focus({ preventScroll: true }) // the button is gone
  }
  return (
    <ScrollArea
      className="chat"
      type="auto"
      viewportRef={viewport}
      viewportProps={{ tabIndex: 0 }}
      onScrollPositionChange={note}
    >
      <Stack gap="xs" p="sm">
        {query.hasNextPage && (
          <Group justify="center">
            <Button size="xs" variant="default" loading={query.isFetchingNextPage} onClick={() => void loadOlder()}>
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
              <MessageRow key={message.id} message={message} room={room} />
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

type Anchor = { element: HTMLElement; top: number }

/**
 * Keeps the newest message in view, unless the reader has scrolled away from it: then what they read stays where it is, whatever
 * comes or goes above it. Browsers do so themselves, but not at the upper end, and not all of them.
 */
function useReadAlong() {
  const viewport = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(true)
  const anchor = useRef<Anchor>(undefined)
  const note = () => {
    const box = viewport.current
    if (!box) return
    isFollowing.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
    anchor.current = anchorIn(box)
  }
  useLayoutEffect(() => {
    const box = viewport.current
    if (!box) return
    const { element, top } = anchor.current ?? {}
    if (isFollowing.current) box.scrollTop = box.scrollHeight
    else if (element?.isConnected) box.scrollTop += topOf(element, box) - (top ?? 0)
    note()
  })
  return { viewport, note }
}

/** The first message that is seen, and where it is in what scrolls. */
function anchorIn(box: HTMLElement): Anchor | undefined {
  const edge = box.getBoundingClientRect().top
  const rows = [...box.querySelectorAll<HTMLElement>('.messages > li')]
  const element = rows.find((row) => row.getBoundingClientRect().bottom > edge)
  return element && { element, top: topOf(element, box) }
}

/** From the beginning of what scrolls. */
const topOf = (element: HTMLElement, box: HTMLElement) =>
  element.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop
