import { Modal, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { NAME_LENGTH_MAX } from '../../../../shared/limits.ts'
import { useTRPC } from '../../app/api.ts'
import { DialogButtons } from '../../components/forms/dialog-buttons.tsx'
import { EventTypesInput } from '../../components/forms/event-types-input.tsx'
import { fieldErrors } from '../../components/forms/field-errors.ts'
import { FormProblem } from '../../components/forms/form-problem.tsx'
import type { CreatedOverlay } from './overlays.tsx'

type NewOverlayProps = { isOpen: boolean; onClose: () => void; onCreated: (overlay: CreatedOverlay) => void }

export function NewOverlay({ isOpen, onClose, onCreated }: NewOverlayProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create an overlay key" size="lg">
      <NewOverlayForm onClose={onClose} onCreated={onCreated} />
    </Modal>
  )
}

function NewOverlayForm({ onClose, onCreated }: Omit<NewOverlayProps, 'isOpen'>) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const form = useForm({
    initialValues: { name: '', event_types: ['chat.message.sent', 'chat.message.deleted'] },
    validate: { event_types: (types) => (types.length === 0 ? 'Choose at least one.' : null) },
  })
  const { mutate, error, isPending } = useMutation(
    trpc.overlays.create.mutationOptions({
      onSuccess: (overlay) => {
        void queries.invalidateQueries({ queryKey: trpc.overlays.pathKey() })
        onClose()
        onCreated(overlay)
      },
      onError: (failure) => form.setErrors(fieldErrors(failure, ['name', 'event_types'])),
    }),
  )
  return (
    <form className="form" onSubmit={form.onSubmit((values) => mutate(values))}>
      <TextInput
        label="Name"
        description="So that you recognise it: which scene it is for, for example"
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
      <FormProblem form={form} error={error} />
      <DialogButtons action="Create key" isPending={isPending} onCancel={onClose} />
    </form>
  )
}
