import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { NAME_LENGTH_MAX } from '../../../../shared/limits.ts'
import { useTRPC } from '../../app/api.ts'
import { DialogButtons } from '../../components/forms/dialog-buttons.tsx'
import { EventTypesInput } from '../../components/forms/event-types-input.tsx'
import { Form } from '../../components/forms/form.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import type { CreatedOverlay } from './overlays.tsx'

type NewOverlayProps = { isOpen: boolean; onClose: () => void; onCreated: (overlay: CreatedOverlay) => void }

export function NewOverlay({ isOpen, onClose, onCreated }: NewOverlayProps) {
  return (
    <FormDialog isOpen={isOpen} onClose={onClose} title="Create an overlay key" size="lg">
      <NewOverlayForm onClose={onClose} onCreated={onCreated} />
    </FormDialog>
  )
}

/** What the page that we offer shows: the chat, and whether the channel is live. */
const shownByOurs = [
  'livestream.started',
  'livestream.updated',
  'livestream.ended',
  'chat.message.sent',
  'chat.message.deleted',
]

function NewOverlayForm({ onClose, onCreated }: Omit<NewOverlayProps, 'isOpen'>) {
  const trpc = useTRPC()
  const form = useForm({
    initialValues: { name: '', event_types: shownByOurs },
    validate: { event_types: (types) => (types.length === 0 ? 'Choose at least one.' : null) },
  })
  const submit = useSubmit(form, trpc.overlays.create.mutationOptions(), {
    fields: ['name', 'event_types'],
    refresh: trpc.overlays.pathKey(),
    onDone: (overlay) => {
      onClose()
      onCreated(overlay)
    },
  })
  return (
    <Form
      form={form}
      submit={submit}
      onSubmit={submit.send}
      buttons={<DialogButtons action="Create key" isPending={submit.isPending} onCancel={onClose} />}
    >
      <TextInput
        label="Name"
        description="So that you recognise it: which scene it is for, for example."
        required
        maxLength={NAME_LENGTH_MAX}
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <EventTypesInput
        note="Whom you have banned is not for overlays, which others look at."
        {...form.getInputProps('event_types')}
      />
    </Form>
  )
}
