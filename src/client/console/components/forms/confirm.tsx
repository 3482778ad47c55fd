import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react'

export type Question = {
  title: string
  /** What will be lost, in a sentence or two. */
  body: ReactNode
  /** The verb on the button. */
  action: string
  /** The word for not doing it. */
  stay?: string
  /** A word that must be typed first, where a slip would be costly. */
  phrase?: string
}

type Ask = (question: Question) => Promise<boolean>

/** A question about a dialog is asked above it. */
const ABOVE_DIALOGS = 300

const Confirm = createContext<Ask | undefined>(undefined)

/** Asks before a change that cannot be undone; resolves to whether the user agreed. */
export function useConfirm(): Ask {
  const ask = use(Confirm)
  if (!ask) throw new Error('useConfirm outside of ConfirmProvider')
  return ask
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Question>()
  const [isOpen, setIsOpen] = useState(false)
  const answer = useRef<(isConfirmed: boolean) => void>(undefined)
  const ask = useCallback<Ask>((question) => {
    answer.current?.(false) // one question at a time: nobody will answer the one before
    setAsked(question)
    setIsOpen(true)
    return new Promise((resolve) => {
      answer.current = resolve
    })
  }, [])
  const close = (isConfirmed: boolean) => {
    answer.current?.(isConfirmed)
    setIsOpen(false)
  }
  return (
    <Confirm value={ask}>
      {children}
      <Modal opened={isOpen} onClose={() => close(false)} title={asked?.title} centered zIndex={ABOVE_DIALOGS}>
        {asked && <Choice key={asked.title} question={asked} onClose={close} />}
      </Modal>
    </Confirm>
  )
}

function Choice({ question, onClose }: { question: Question; onClose: (isConfirmed: boolean) => void }) {
  const { body, action, phrase, stay = 'Cancel' } = question
  const [typed, setTyped] = useState('')
  return (
    <Stack>
      <Text component="div">{body}</Text>
      {phrase !== undefined && (
        <TextInput
          label={`Type “${phrase}” to go on`}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoComplete="off"
        />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => onClose(false)} data-autofocus={phrase === undefined || undefined}>
          {stay}
        </Button>
        <Button color="red.9" disabled={phrase !== undefined && typed !== phrase} onClick={() => onClose(true)}>
          {action}
        </Button>
      </Group>
    </Stack>
  )
}
