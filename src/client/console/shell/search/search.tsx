import { Kbd, Modal, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { SearchBox } from './search-box.tsx'

/**
 * Finds pages, guides, applications, subscriptions, and whatever has an identifier; by Ctrl-K from anywhere. It is there at once, or what
 * is typed behind Ctrl-K would go elsewhere; so it keeps by itself where the focus was, which a dialog notes too late for that.
 */
export function Search() {
  const [isOpen, setIsOpen] = useState(false)
  const before = useRef<Element>(null)
  const open = () => {
    if (!isOpen) before.current = document.activeElement
    setIsOpen(true)
  }
  const close = (to: Element | null) => {
    setIsOpen(false)
    if (to instanceof HTMLElement) to.focus({ preventScroll: true })
  }
  useHotkeys([['mod+K', open]], [])
  return (
    <>
      <UnstyledButton
        className="search-button"
        onClick={open}
        aria-label="Search, Ctrl K"
        aria-keyshortcuts="Control+K"
      >
        <Icon shape="search" />
        <Kbd visibleFrom="sm" size="xs" aria-hidden="true">
          Ctrl K
        </Kbd>
      </UnstyledButton>
      <Modal.Root
        opened={isOpen}
        onClose={() => close(before.current)}
        returnFocus={false}
        transitionProps={{ duration: 0 }}
        yOffset="12vh"
      >
        <Modal.Overlay />
        <Modal.Content aria-label="Search">
          <Modal.Body pt="md">
            <SearchBox onChosen={() => close(document.querySelector('#main'))} />
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </>
  )
}
