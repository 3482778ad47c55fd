import { Modal, NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { NAME_LENGTH_MAX } from '../../../../shared/limits.ts'
import { useTRPC } from '../../app/api.ts'
import { DialogButtons } from '../../components/forms/dialog-buttons.tsx'
import { fieldErrors } from '../../components/forms/field-errors.ts'
import { FormProblem } from '../../components/forms/form-problem.tsx'
import { ScopesInput } from '../../components/forms/scopes-input.tsx'
import { useApplication } from './application.tsx'

const lives = [
  { value: '7', label: 'One week' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '3650', label: 'Ten years' },
]

type NewKeyProps = {
  isOpen: boolean
  onClose: () => void
  onCreated: (title: string, value: string, hint: string) => void
}

export function NewKey({ isOpen, onClose, onCreated }: NewKeyProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create an API key" size="lg">
      <NewKeyForm onClose={onClose} onCreated={onCreated} />
    </Modal>
  )
}

function NewKeyForm({ onClose, onCreated }: Omit<NewKeyProps, 'isOpen'>) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { id: application_id, scopes } = useApplication()
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '', days: '365', scopes } })
  const { mutate, error, isPending } = useMutation(
    trpc.applications.keys.create.mutationOptions({
      onSuccess: ({ key }) => {
        void queries.invalidateQueries({ queryKey: trpc.applications.keys.pathKey() })
        onClose()
        onCreated('API key', key, 'Send it as “Authorization: Bearer …”.')
      },
      onError: (failure) => form.setErrors(fieldErrors(failure, ['name', 'scopes'])),
    }),
  )
  const submit = form.onSubmit(({ days, ...values }) =>
    mutate({ application_id, ...values, expires_in_days: Number(days) }),
  )
  return (
    <form className="form" onSubmit={submit}>
      <TextInput
        label="Name"
        description="So that you recognise it: where it is used, for example"
        required
        maxLength={NAME_LENGTH_MAX}
        data-autofocus
        autoComplete="off"
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
      <NativeSelect label="Expires after" data={lives} key={form.key('days')} {...form.getInputProps('days')} />
      <ScopesInput label="Scopes" choices={scopes} key={form.key('scopes')} {...form.getInputProps('scopes')} />
      <FormProblem form={form} error={error} />
      <DialogButtons action="Create key" isPending={isPending} onCancel={onClose} />
    </form>
  )
}
