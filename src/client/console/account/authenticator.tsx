import { Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTRPC } from '../app/api.ts'
import type { Outputs } from '../app/session.tsx'
import { Copyable } from '../components/copy.tsx'
import { useAction } from '../components/forms/action.ts'
import { DialogButtons } from '../components/forms/dialog-buttons.tsx'
import { Form } from '../components/forms/form.tsx'
import { useSubmit } from '../components/forms/submit.ts'
import { Instant } from '../components/instant.tsx'
import { Section } from '../components/section.tsx'
import type { ShowCodes } from './security.tsx'

type Totp = Outputs['account']['factors']['list']['totp']
type Enrolment = Outputs['account']['totp']['start']

export function AuthenticatorSection({ totp, onCodes }: { totp: Totp; onCodes: ShowCodes }) {
  const trpc = useTRPC()
  const [enrolment, setEnrolment] = useState<Enrolment>()
  const start = useAction(trpc.account.totp.start.mutationOptions(), {
    failed: 'The authenticator was not set up',
    refresh: trpc.account.factors.pathKey(),
  })
  const begin = async () => setEnrolment((await start.run({}))?.output)
  return (
    <Section
      title="Authenticator app"
      intro={
        totp ? (
          <>
            Set up <Instant at={totp.created_at} end="," /> last used <Instant at={totp.last_used_at} end="." />
          </>
        ) : (
          'An app on your phone that shows a new code every half minute.'
        )
      }
      actions={
        <>
          <Button variant="default" size="xs" loading={start.isPending} onClick={() => void begin()}>
            {totp ? 'Use another app' : 'Set up'}
          </Button>
          {totp && <RemoveButton />}
        </>
      }
    >
      <Modal opened={enrolment !== undefined} onClose={() => setEnrolment(undefined)} title="Set up your app" centered>
        {enrolment && (
          <Enrol
            enrolment={enrolment}
            onDone={(codes) => {
              setEnrolment(undefined)
              onCodes(codes)
            }}
            onCancel={() => setEnrolment(undefined)}
          />
        )}
      </Modal>
    </Section>
  )
}

function RemoveButton() {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.account.totp.remove.mutationOptions(), {
    done: 'The authenticator app is removed.',
    failed: 'The authenticator app was not removed',
    refresh: trpc.account.factors.pathKey(),
  })
  return (
    <Button variant="default" size="xs" loading={isPending} onClick={() => void run({}, question)}>
      Remove app
    </Button>
  )
}

const question = {
  title: 'Remove your authenticator app?',
  body: 'Its codes are asked for no longer. Without any other factor, your password alone opens your account, and your recovery codes end.',
  action: 'Remove app',
}

type EnrolProps = { enrolment: Enrolment; onDone: ShowCodes; onCancel: () => void }

function Enrol({ enrolment: { secret, qr }, onDone, onCancel }: EnrolProps) {
  const trpc = useTRPC()
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })
  const submit = useSubmit(form, trpc.account.totp.confirm.mutationOptions(), {
    fields: ['code'],
    done: 'Your authenticator app is set up.',
    refresh: trpc.account.factors.pathKey(),
    onDone: ({ recovery_codes }) => onDone(recovery_codes),
  })
  return (
    <Form
      form={form}
      submit={submit}
      onSubmit={submit.send}
      isFleeting
      buttons={<DialogButtons action="Confirm" isPending={submit.isPending} onCancel={onCancel} />}
    >
      <Text size="sm">Scan this with your app, or type the key into it. Then enter the code that it shows.</Text>
      <Group justify="center">
        <svg viewBox={`0 0 ${qr.size} ${qr.size}`} width={220} height={220} role="img" aria-label="QR code of the key">
          <rect width="100%" height="100%" fill="#fff" />
          <path d={qr.path} fill="#000" />
        </svg>
      </Group>
      <Copyable value={secret} label="the key" />
      <TextInput
        label="Code"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        key={form.key('code')}
        {...form.getInputProps('code')}
      />
    </Form>
  )
}
