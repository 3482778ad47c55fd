import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { startAuthentication } from '@simplewebauthn/browser'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTRPC } from '../app/api.ts'
import type { Outputs } from '../app/session.tsx'
import { useStepUpQuestion } from '../app/step-up.ts'
import { Loaded } from './feedback/loaded.tsx'
import { Problem } from './feedback/problem.tsx'
import { DialogButtons } from './forms/dialog-buttons.tsx'
import { Form } from './forms/form.tsx'
import { useSubmit } from './forms/submit.ts'

type Ways = Outputs['account']['stepUp']['ways']
type Answer = (isProved: boolean) => void

/** Asks whoever has been logged in for a while who they are, before what a session left open must not do. */
export function StepUpDialog() {
  const question = useStepUpQuestion()
  return (
    <Modal
      opened={question !== undefined}
      onClose={() => question?.answer(false)}
      title="Confirm that it is you"
      centered
      zIndex={400}
    >
      {question && <AskWho onAnswer={question.answer} />}
    </Modal>
  )
}

function AskWho({ onAnswer }: { onAnswer: Answer }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.account.stepUp.ways.queryOptions({}, { gcTime: 0, staleTime: 0 }))
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Your last login was a while ago. What you have typed stays, and is done as soon as you have confirmed it.
      </Text>
      <Loaded query={query}>
        {(ways) => (
          <>
            {ways.passkey && <ByPasskey request={ways.passkey} onAnswer={onAnswer} />}
            {(ways.password || ways.code) && <ByText ways={ways} onAnswer={onAnswer} />}
          </>
        )}
      </Loaded>
    </Stack>
  )
}

function ByPasskey({ request, onAnswer }: { request: NonNullable<Ways['passkey']>; onAnswer: Answer }) {
  const trpc = useTRPC()
  const { mutateAsync } = useMutation(trpc.account.stepUp.prove.mutationOptions())
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => mutateAsync({ passkey: await startAuthentication({ optionsJSON: request }) }),
    onSuccess: () => onAnswer(true),
  })
  return (
    <>
      {error && <Problem error={error} />}
      <Button loading={isPending} onClick={() => mutate()}>
        Use a passkey
      </Button>
    </>
  )
}

function ByText({ ways, onAnswer }: { ways: Ways; onAnswer: Answer }) {
  const trpc = useTRPC()
  const field = ways.password ? 'password' : 'code'
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '', code: '' } })
  const submit = useSubmit(form, trpc.account.stepUp.prove.mutationOptions(), {
    fields: [field],
    onDone: () => onAnswer(true),
  })
  const input = { required: true, 'data-autofocus': true, ...form.getInputProps(field) }
  return (
    <Form
      form={form}
      submit={submit}
      onSubmit={(typed) => submit.send({ [field]: typed[field] })}
      isFleeting
      buttons={<DialogButtons action="Confirm" isPending={submit.isPending} onCancel={() => onAnswer(false)} />}
    >
      {ways.password ? (
        <PasswordInput label="Password" autoComplete="current-password" key={form.key(field)} {...input} />
      ) : (
        <TextInput
          label="Code"
          description="Of your authenticator app, or one of your recovery codes."
          autoComplete="one-time-code"
          key={form.key(field)}
          {...input}
        />
      )}
    </Form>
  )
}
