import { NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { NAME_LENGTH_MAX } from '../../../../shared/limits.ts'
import { useTRPC } from '../../app/api.ts'
import { DialogButtons } from '../../components/forms/dialog-buttons.tsx'
import { Form } from '../../components/forms/form.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { type Scope, scopesOfItself } from '../../components/forms/scopes.ts'
import { ScopesInput } from '../../components/forms/scopes-input.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { useApplication } from './application.tsx'
import { atLeastOne } from './application-fields.tsx'

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
  const { scopes } = useApplication()
  const choices = keyScopesOf(scopes)
  return (
    <FormDialog isOpen={isOpen} onClose={onClose} title="Create an API key" size="lg">
      <NewKeyForm {...{ choices, onClose, onCreated }} />
    </FormDialog>
  )
}

const keyScopesOf = (scopes: readonly Scope[]) => scopesOfItself.filter((scope) => scopes.includes(scope))

/** Whether a key of an application with these scopes could do anything. */
export const hasKeyScopes = (scopes: readonly Scope[]): boolean => keyScopesOf(scopes).length > 0

type NewKeyFormProps = Omit<NewKeyProps, 'isOpen'> & { choices: Scope[] }

function NewKeyForm({ choices, onClose, onCreated }: NewKeyFormProps) {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', days: '365', scopes: [] as Scope[] },
    validate: { scopes: atLeastOne },
  })
  const submit = useSubmit(form, trpc.applications.keys.create.mutationOptions(), {
    fields: ['name', 'scopes'],
    refresh: trpc.applications.keys.pathKey(),
    onDone: ({ key }) => {
      onClose()
      onCreated('API key', key, 'Send it as “Authorization: Bearer …”.')
    },
  })
  return (
    <Form
      form={form}
      submit={submit}
      onSubmit={({ days, ...values }) => submit.send({ application_id, ...values, expires_in_days: Number(days) })}
      buttons={<DialogButtons action="Create key" isPending={submit.isPending} onCancel={onClose} />}
    >
      <TextInput
        label="Name"
        description="So that you recognise it: where it is used, for example."
        required
        maxLength={NAME_LENGTH_MAX}
        data-autofocus
        autoComplete="off"
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
      <NativeSelect label="Expires after" data={lives} key={form.key('days')} {...form.getInputProps('days')} />
      <ScopesInput
        label="Scopes"
        description="What the key may do. Only what an application can do for itself: the rest needs people who log in."
        words="reach"
        choices={choices}
        key={form.key('scopes')}
        {...form.getInputProps('scopes')}
      />
    </Form>
  )
}
