import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser'
import { client, useTRPC } from '../app/api.ts'
import type { Outputs } from '../app/session.tsx'
import { useAction } from '../components/forms/action.ts'
import { Form } from '../components/forms/form.tsx'
import { useSubmit } from '../components/forms/submit.ts'
import { Instant } from '../components/instant.tsx'
import { isolated, Name } from '../components/name.tsx'
import { Row } from '../components/row.tsx'
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
    done: `The passkey ${isolated(name)} is removed.`,
    failed: 'The passkey was not removed',
    refresh: trpc.account.factors.pathKey(),
  })
  const body = 'It opens your account no longer. Without any other factor, your password alone does.'
  const question = { title: `Remove the passkey ${isolated(name)}?`, body, action: 'Remove passkey' }
  return (
    <Row
      title={<Name>{name}</Name>}
      end={
        <Button variant="default" size="xs" loading={isPending} onClick={() => void run({ id }, question)}>
          Remove
        </Button>
      }
    >
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
    </Row>
  )
}

/** The browser asks for it between the two calls. */
async function addPasskey({ name }: { name: string }) {
  const response = await startRegistration({ optionsJSON: await client.account.passkeys.start.mutate({}) })
  return client.account.passkeys.finish.mutate({ name, response })
}

function AddPasskey({ onCodes }: { onCodes: ShowCodes }) {
  const trpc = useTRPC()
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '' } })
  const submit = useSubmit(
    form,
    { mutationFn: addPasskey },
    {
      fields: ['name'],
      done: 'The passkey is added.',
      refresh: trpc.account.factors.pathKey(),
      onDone: ({ recovery_codes }) => {
        form.reset()
        onCodes(recovery_codes)
      },
    },
  )
  return (
    <Form form={form} submit={submit} onSubmit={submit.send} buttons={<Add isPending={submit.isPending} />}>
      <TextInput
        label="Name of a new passkey"
        description="Such as “Phone” or “Blue key”."
        required
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
    </Form>
  )
}

const Add = ({ isPending }: { isPending: boolean }) => (
  <Group justify="flex-end">
    <Button type="submit" variant="default" loading={isPending}>
      Add a passkey
    </Button>
  </Group>
)
