import { Kbd, Modal, UnstyledButton } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Icon } from '../../components/icon.tsx'
import { SearchBox } from './search-box.tsx'

/** Finds pages, guides, applications, subscriptions, and whatever has an identifier; by Ctrl-K from anywhere. */
export function Search() {
  const [isOpen, { open, close }] = useDisclosure(false)
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
      <Modal.Root opened={isOpen} onClose={close} yOffset="12vh">
        <Modal.Overlay />
        <Modal.Content aria-label="Search">
          <Modal.Body pt="md">
            <SearchBox onChosen={close} />
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </>
  )
}
