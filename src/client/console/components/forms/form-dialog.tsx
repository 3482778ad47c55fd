import { Modal, type ModalProps } from '@mantine/core'
import { useMemo, useRef } from 'react'
import type { Unsaved } from '../../app/unsaved.ts'
import { useConfirm } from './confirm.tsx'
import { LeavingDialog } from './leaving-dialog.ts'

type FormDialogProps = Pick<ModalProps, 'title' | 'size' | 'children'> & { isOpen: boolean; onClose: () => void }

const question = {
  title: 'Close without saving?',
  body: 'What you have typed would be lost.',
  action: 'Close it',
  stay: 'Go on typing',
}

/**
 * A dialog with a form in it. Escape, the cross and a click beside it ask first when something was typed; Cancel is meant.
 * While the form is on its way nothing closes it.
 */
export function FormDialog({ isOpen, onClose, ...modal }: FormDialogProps) {
  const confirm = useConfirm()
  const held = useRef(new Set<Unsaved>())
  const leaving = useMemo(
    () => ({
      hold(unsaved: Unsaved) {
        held.current.add(unsaved)
        return () => held.current.delete(unsaved)
      },
    }),
    [],
  )
  const isAsking = useRef(false)
  const close = async () => {
    const all = [...held.current]
    if (isAsking.current || all.some(({ isOnItsWay }) => isOnItsWay?.())) return // Escape is heard by the dialog below as well
    isAsking.current = true
    const isAtStake = all.some((unsaved) => unsaved.isAtStake())
    if (!isAtStake || (await confirm(question))) onClose()
    isAsking.current = false
  }
  return (
    <LeavingDialog value={leaving}>
      <Modal opened={isOpen} onClose={() => void close()} {...modal} />
    </LeavingDialog>
  )
}
