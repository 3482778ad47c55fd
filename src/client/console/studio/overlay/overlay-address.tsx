import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { CodeBlock } from '../../components/code-block.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { isolated } from '../../components/name.tsx'
import { useHeldSecret } from '../../components/shown-once.tsx'
import type { CreatedOverlay } from './overlays.tsx'

type OverlayAddressProps = { overlay: CreatedOverlay | undefined; onClose: () => void }

/** The addresses of an overlay key, which are shown only once. A click beside the dialogue does not close it. */
export function OverlayAddress({ overlay, onClose }: OverlayAddressProps) {
  const letGo = useHeldSecret(overlay !== undefined)
  const close = () => {
    letGo()
    onClose()
  }
  return (
    <Modal
      opened={overlay !== undefined}
      onClose={close}
      title={overlay && `The address of ${isolated(overlay.name)}`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {overlay && (
        <Stack>
          <Notice tone="warn" title="Shown once">
            Copy it now: we store only what lets us recognise it. Whoever has it sees what the overlay sees, so do not
            show it in your stream.
          </Notice>
          {overlay.event_types.includes('chat.message.sent') && <ChatOverlay keyValue={overlay.key} />}
          <EventsAddress keyValue={overlay.key} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              I have copied it
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function ChatOverlay({ keyValue }: { keyValue: string }) {
  const address = `${location.origin}/overlay/chat?key=${keyValue}`
  return (
    <Stack gap="xs">
      <Text size="sm">Your chat on a transparent page, for the browser source of a streaming program:</Text>
      <CodeBlock code={address} label="Address of the chat overlay" />
      <Text size="sm">
        It looks like this;{' '}
        <Anchor href={address} target="_blank" rel="noreferrer" size="sm">
          open it
        </Anchor>{' '}
        to see it alone.
      </Text>
      <iframe className="overlay-preview" src={`${address}&preview`} title="Preview of the chat overlay" />
    </Stack>
  )
}

function EventsAddress({ keyValue }: { keyValue: string }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        The events themselves, for an{' '}
        <Anchor href="/docs/guides/overlays" size="sm">
          overlay of your own
        </Anchor>
        :
      </Text>
      <CodeBlock code={`${location.origin}/v1/events?key=${keyValue}`} label="Address of the events" />
    </Stack>
  )
}
