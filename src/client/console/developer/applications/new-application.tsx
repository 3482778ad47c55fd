import { Anchor, Button, Group, Radio, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { fieldErrors } from '../../components/forms/field-errors.ts'
import { FormProblem } from '../../components/forms/form-problem.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { type Secret, ShownOnce } from '../../components/shown-once.tsx'
import { ApplicationFields, applicationFields, emptyApplication, linesOf } from './application-fields.tsx'
import { keySetFault, keySetOf, noProof, ProofFields } from './proof-fields.tsx'

const kinds = [
  {
    value: 'confidential',
    label: 'Confidential',
    description: 'Runs on your server and can keep a secret. It may also act for itself, without a user.',
  },
  {
    value: 'public',
    label: 'Public',
    description: 'Runs in a browser, on a phone or a desktop. It has no secret; PKCE protects its users.',
  },
]

const above = [{ label: 'Applications', to: '/developer/applications' }]

export function NewApplication() {
  const [secret, setSecret] = useState<Secret & { id: string }>()
  const navigate = useNavigate()
  const open = (id: string) => navigate(`/developer/applications/${id}`, { replace: true })
  return (
    <Page title="Create an application" above={above}>
      <NewApplicationForm
        onCreated={({ id, client_secret }) => {
          if (client_secret === null) return void open(id)
          setSecret({ id, title: 'Client secret', value: client_secret, hint: 'Your server authenticates with it.' })
        }}
      />
      <ShownOnce secret={secret} onClose={() => secret && void open(secret.id)} />
    </Page>
  )
}

type Created = { id: string; client_secret: string | null }

function NewApplicationForm({ onCreated }: { onCreated: (created: Created) => void }) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { kind: 'confidential', ...emptyApplication, ...noProof },
    validate: { jwks: keySetFault },
  })
  const { mutate, error, isPending } = useMutation(
    trpc.applications.create.mutationOptions({
      onSuccess: (created) => {
        void queries.invalidateQueries({ queryKey: trpc.applications.pathKey() })
        onCreated(created)
      },
      onError: (failure) => form.setErrors(fieldErrors(failure, [...applicationFields, 'jwks'])),
    }),
  )
  const submit = form.onSubmit(({ kind, redirect_uris, website_url, jwks, ...values }) =>
    mutate({
      ...values,
      confidential: kind === 'confidential',
      website_url: website_url || null,
      redirect_uris: linesOf(redirect_uris),
      jwks: keySetOf(jwks),
    }),
  )
  return (
    <Section title="What it is">
      <form className="form" onSubmit={submit}>
        <Radio.Group
          label="Kind"
          description="This cannot be changed later"
          key={form.key('kind')}
          {...form.getInputProps('kind')}
        >
          <Stack gap="xs" mt="xs">
            {kinds.map((kind) => (
              <Radio key={kind.value} {...kind} />
            ))}
          </Stack>
        </Radio.Group>
        <ApplicationFields form={form} />
        <ProofFields form={form} />
        <FormProblem form={form} error={error} />
        <Group justify="flex-end">
          <Anchor component={Link} to="/developer/applications" size="sm">
            Cancel
          </Anchor>
          <Button type="submit" loading={isPending}>
            Create application
          </Button>
        </Group>
      </form>
    </Section>
  )
}
