import { Button, Group, PasswordInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Status } from '../../components/feedback/status.tsx'
import { Form } from '../../components/forms/form.tsx'
import { ScopeList } from '../../components/forms/scopes-input.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { Instant } from '../../components/instant.tsx'
import { Section } from '../../components/section.tsx'

type Inspection = Outputs['doctor']['credential']

const kinds = {
  access_token: 'Access token',
  refresh_token: 'Refresh token: good at the token endpoint only',
  api_key: 'API key',
  overlay_key: 'Overlay key: good for the feed only',
  stream_key: 'Stream key: good for encoders only',
  client_secret: 'Client secret: good at the token endpoint only',
  unknown: 'None of your account or your applications, or mistyped or cut off',
} as const satisfies Record<Inspection['kind'], string>

export function CredentialDoctor() {
  const trpc = useTRPC()
  const form = useForm({ mode: 'uncontrolled', initialValues: { credential: '' } })
  const submit = useSubmit(form, trpc.doctor.credential.mutationOptions(), { fields: ['credential'] })
  const { data, isPending } = submit
  return (
    <Section
      title="Tokens and keys"
      intro="An access token, a refresh token, an API key, an overlay key or a client secret."
    >
      <Form
        form={form}
        submit={submit}
        onSubmit={({ credential }) => submit.send({ credential: credential.trim() })}
        isFleeting
        buttons={
          <Group justify="flex-end">
            <Button type="submit" loading={isPending}>
              Examine
            </Button>
          </Group>
        }
      >
        <PasswordInput
          label="Credential"
          required
          autoComplete="off"
          spellCheck={false}
          key={form.key('credential')}
          {...form.getInputProps('credential')}
        />
      </Form>
      {data && !isPending && <Findings inspection={data} />}
    </Section>
  )
}

function Findings({ inspection }: { inspection: Inspection }) {
  const { kind, active, client_id, username, scopes, expires_at } = inspection
  const verdict = active ? <Status tone="good">It works</Status> : <Status tone="bad">It does not work</Status>
  return (
    <div role="status">
      <Facts>
        <Fact name="Kind">{kinds[kind]}</Fact>
        {kind !== 'unknown' && (
          <>
            <Fact name="State">{verdict}</Fact>
            <Fact name="Application">{client_id ?? '—'}</Fact>
            <Fact name="Stands for">{username ?? 'the application itself'}</Fact>
            <Fact name="Scopes">
              <ScopeList scopes={scopes} />
            </Fact>
            <Fact name="Expires">{expires_at ? <Instant at={expires_at} /> : 'Never'}</Fact>
          </>
        )}
      </Facts>
    </div>
  )
}
