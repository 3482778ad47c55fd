import { Button, Group, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTRPC } from '../../app/api.ts'
import { Form } from '../../components/forms/form.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { Section } from '../../components/section.tsx'
import { useApplication, useMayDevelop } from './application.tsx'
import type { Application } from './applications.tsx'
import { KeySetInput, keySetFault, keySetOf } from './proof-fields.tsx'

type KeySet = NonNullable<Application['jwks']>

/** The public keys of an application that signs, and a form to replace them. */
export function PublicKeys({ jwks }: { jwks: KeySet }) {
  const mayDevelop = useMayDevelop()
  return (
    <Section
      title="Public keys"
      intro="This application has no secret: it signs who it is with one of these (private_key_jwt). Register the next key beside the current one before you sign with it."
    >
      <ul className="rows">
        {jwks.keys.map(({ kid, kty, crv, alg }) => (
          <li key={kid ?? kty} className="row">
            <Text ff="monospace" size="sm" className="breakable">
              {kid ?? 'without kid'}
            </Text>
            <Text size="sm" c="dimmed">
              {[kty, crv, alg].filter((part) => part !== undefined).join(' · ')}
            </Text>
          </li>
        ))}
      </ul>
      {jwks.keys.length === 0 && (
        <Text size="sm">
          None is left: they ended when the application came to its owner, or when somebody else had had the account.
          Until one is registered, the application cannot say who it is.
        </Text>
      )}
      {mayDevelop && <KeySetForm jwks={jwks} />}
    </Section>
  )
}

function KeySetForm({ jwks }: { jwks: KeySet }) {
  const trpc = useTRPC()
  const { id } = useApplication()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { jwks: JSON.stringify(jwks, null, 2) },
    validate: { jwks: keySetFault },
  })
  const submit = useSubmit(form, trpc.applications.update.mutationOptions(), {
    fields: ['jwks'],
    done: 'The keys are saved.',
    refresh: trpc.applications.pathKey(),
  })
  const save = (
    <Group justify="flex-end">
      <Button type="submit" variant="default" loading={submit.isPending}>
        Save keys
      </Button>
    </Group>
  )
  const send = (values: { jwks: string }) => submit.send({ id, jwks: keySetOf(values.jwks) })
  return (
    <Form form={form} submit={submit} onSubmit={send} buttons={save}>
      <KeySetInput
        description="1 to 10 public keys, each of several with a kid of its own."
        key={form.key('jwks')}
        {...form.getInputProps('jwks')}
      />
    </Form>
  )
}
