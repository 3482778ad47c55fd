import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTRPC } from '../../app/api.ts'
import { Form } from '../../components/forms/form.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { Section } from '../../components/section.tsx'
import { useApplication } from '../applications/application.tsx'
import type { Member } from './member-row.tsx'

const BY_EMAIL = ''

/** Hands the application to somebody else, once they accept it. */
export function OfferTransfer({ members }: { members: Member[] }) {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const others = members.filter(({ role }) => role !== 'owner')
  const form = useForm({ initialValues: { user_id: others[0]?.user_id ?? BY_EMAIL, email: '' } })
  const submit = useSubmit(form, trpc.people.offerTransfer.mutationOptions(), {
    fields: ['user_id', 'email'],
    done: 'The offer is on its way. Nothing changes until it is accepted.',
    refresh: trpc.people.pathKey(),
    onDone: () => form.reset(),
  })
  const { user_id } = form.values
  const isMember = user_id !== BY_EMAIL && others.some((one) => one.user_id === user_id)
  const send = ({ email }: typeof form.values) =>
    submit.send({ application_id, ...(isMember ? { user_id } : { email }) })
  return (
    <Section
      title="Hand it to somebody else"
      intro="They own it once they accept: it counts for their limits, and they decide who belongs to it. You become a developer of it."
    >
      <Form form={form} submit={submit} onSubmit={send} buttons={<Offer isPending={submit.isPending} />}>
        <NativeSelect
          label="New owner"
          data={[
            ...others.map((one) => ({ value: one.user_id, label: one.username })),
            { value: BY_EMAIL, label: 'Somebody else, by email' },
          ]}
          {...form.getInputProps('user_id')}
        />
        {!isMember && (
          <TextInput
            label="Email of the new owner"
            type="email"
            required
            autoComplete="off"
            {...form.getInputProps('email')}
          />
        )}
      </Form>
    </Section>
  )
}

const Offer = ({ isPending }: { isPending: boolean }) => (
  <Group justify="flex-end">
    <Button type="submit" variant="default" loading={isPending}>
      Offer the application
    </Button>
  </Group>
)
