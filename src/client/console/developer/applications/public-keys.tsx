import { Button, Group, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../app/api.ts'
import { notifyDone } from '../../components/feedback/notices.tsx'
import { fieldErrors } from '../../components/forms/field-errors.ts'
import { FormProblem } from '../../components/forms/form-problem.tsx'
import { Section } from '../../components/section.tsx'
import { useApplication } from './application.tsx'
import type { Application } from './applications.tsx'
import { KeySetInput, keySetFault, keySetOf } from './proof-fields.tsx'

type KeySet = NonNullable<Application['jwks']>

/** The public keys of an application that signs, and a form to replace them. */
export function PublicKeys({ jwks }: { jwks: KeySet }) {
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
      <KeySetForm jwks={jwks} />
    </Section>
  )
}

function KeySetForm({ jwks }: { jwks: KeySet }) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { id } = useApplication()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { jwks: JSON.stringify(jwks, null, 2) },
    validate: { jwks: keySetFault },
  })
  const { mutate, error, isPending } = useMutation(
    trpc.applications.update.mutationOptions({
      onSuccess: () => {
        notifyDone('The keys are saved.')
        return queries.invalidateQueries({ queryKey: trpc.applications.pathKey() })
      },
      onError: (failure) => form.setErrors(fieldErrors(failure, ['jwks'])),
    }),
  )
  return (
    <form className="form" onSubmit={form.onSubmit((values) => mutate({ id, jwks: keySetOf(values.jwks) }))}>
      <KeySetInput
        description="1 to 10 public keys, each of several with a kid of its own"
        key={form.key('jwks')}
        {...form.getInputProps('jwks')}
      />
      <FormProblem form={form} error={error} />
      <Group justify="flex-end">
        <Button type="submit" variant="default" loading={isPending}>
          Save keys
        </Button>
      </Group>
    </form>
  )
}
