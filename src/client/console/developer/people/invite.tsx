import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type MemberRole, roleDescriptions } from '../../../../shared/roles.ts'
import { useTRPC } from '../../app/api.ts'
import { DialogButtons } from '../../components/forms/dialog-buttons.tsx'
import { Form } from '../../components/forms/form.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { useApplication } from '../applications/application.tsx'
import { roleChoices } from './member-row.tsx'

type InviteProps = { isOpen: boolean; onClose: () => void }

export const Invite = ({ isOpen, onClose }: InviteProps) => (
  <FormDialog isOpen={isOpen} onClose={onClose} title="Invite somebody">
    <InviteForm onClose={onClose} />
  </FormDialog>
)

function InviteForm({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const form = useForm({ initialValues: { email: '', role: 'developer' as MemberRole } })
  const submit = useSubmit(form, trpc.people.invite.mutationOptions(), {
    fields: ['email', 'role'],
    done: 'The invitation is on its way.',
    refresh: trpc.people.pathKey(),
    onDone: onClose,
  })
  return (
    <Form
      form={form}
      submit={submit}
      onSubmit={(values) => submit.send({ application_id, ...values })}
      buttons={<DialogButtons action="Send invitation" isPending={submit.isPending} onCancel={onClose} />}
    >
      <TextInput
        label="Email"
        description="The link in the mail works for 7 days, for the account that has confirmed this address."
        type="email"
        required
        autoComplete="off"
        {...form.getInputProps('email')}
      />
      <NativeSelect label="Role" data={roleChoices} {...form.getInputProps('role')} />
      <Text size="sm" c="dimmed">
        {roleDescriptions[form.values.role].description}.
      </Text>
    </Form>
  )
}
