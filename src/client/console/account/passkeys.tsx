import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../app/api.ts'
import type { Outputs } from '../app/session.tsx'
import { notifyDone } from '../components/feedback/notices.tsx'
import { useAction } from '../components/forms/action.ts'
import { fieldErrors } from '../components/forms/field-errors.ts'
import { FormProblem } from '../components/forms/form-problem.tsx'
import { Instant } from '../components/instant.tsx'
import { Section } from '../components/section.tsx'
import type { ShowCodes } from './security.tsx'

type Passkey = Outputs['account']['factors']['list']['passkeys'][number]

export function PasskeysSection({ passkeys, onCodes }: { passkeys: Passkey[]; onCodes: ShowCodes }) {
  return (
    <Section
      title="Passkeys"
      intro="Your fingerprint, your face or a key of yours, instead of the password or after it. No other site can ask for it."
    >
      {passkeys.length > 0 && (
        <ul className="rows">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {browserSupportsWebAuthn() ? (
        <AddPasskey onCodes={onCodes} />
      ) : (
        <Text size="sm">This browser has no passkeys here: they need https, or this very computer.</Text>
      )}
    </Section>
  )
}

function PasskeyRow({ passkey: { id, name, is_backed_up, created_at, last_used_at } }: { passkey: Passkey }) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.account.passkeys.remove.mutationOptions(), {
    done: `The passkey “${name}” is removed.`,
    failed: 'The passkey was not removed',
    refresh: trpc.account.factors.pathKey(),
  })
  const body = 'It opens your account no longer. Without any other factor, your password alone does.'
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={600} className="breakable">
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          Added <Instant at={created_at} />
          {last_used_at ? (
            <>
              {' '}
              · last used <Instant at={last_used_at} />
            </>
          ) : (
            ' · never used'
          )}
          {is_backed_up && ' · kept by your password manager'}
        </Text>
      </div>
      <Button
        variant="default"
        size="xs"
        loading={isPending}
        onClick={() => void run({ id }, { title: `Remove the passkey “${name}”?`, body, action: 'Remove passkey' })}
      >
        Remove
      </Button>
    </li>
  )
}

function AddPasskey({ onCodes }: { onCodes: ShowCodes }) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '' } })
  const start = useMutation(trpc.account.passkeys.start.mutationOptions())
  const finish = useMutation(trpc.account.passkeys.finish.mutationOptions())
  const { mutate, error, isPending } = useMutation({
    mutationFn: async ({ name }: { name: string }) => {
      const response = await startRegistration({ optionsJSON: await start.mutateAsync({}) })
      return finish.mutateAsync({ name, response })
    },
    onSuccess: ({ recovery_codes }) => {
      notifyDone('The passkey is added.')
      form.reset()
      onCodes(recovery_codes)
      return queries.invalidateQueries({ queryKey: trpc.account.factors.pathKey() })
    },
    onError: (failure) => form.setErrors(fieldErrors(failure, ['name'])),
  })
  return (
    <form className="form" onSubmit={form.onSubmit((values) => mutate(values))}>
      <TextInput
        label="Name of a new passkey"
        description="Such as “Phone” or “Blue key”."
        required
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
      <FormProblem form={form} error={error} />
      <Group justify="flex-end">
        <Button type="submit" variant="default" loading={isPending}>
          Add a passkey
        </Button>
      </Group>
    </form>
  )
}
