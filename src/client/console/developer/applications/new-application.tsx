import { Anchor, Button, Checkbox, Group, Radio, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { DEVICE_CODE_GRANT, grantDescriptions, usableGrants } from '../../../../shared/grants.ts'
import { useTRPC } from '../../app/api.ts'
import { Form } from '../../components/forms/form.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { type Secret, ShownOnce } from '../../components/shown-once.tsx'
import { ApplicationFields, applicationFields, atLeastOne, emptyApplication, linesOf } from './application-fields.tsx'
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
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { kind: 'confidential', devices: false, ...emptyApplication, ...noProof },
    validate: { scopes: atLeastOne, jwks: keySetFault },
  })
  const submit = useSubmit(form, trpc.applications.create.mutationOptions(), {
    fields: [...applicationFields, 'jwks'],
    refresh: trpc.applications.pathKey(),
    onDone: onCreated,
  })
  const send = ({ kind, devices, redirect_uris: lines, website_url, jwks, ...values }: typeof form.values) => {
    const confidential = kind === 'confidential'
    const redirect_uris = linesOf(lines)
    const grant_types = devices
      ? usableGrants({ confidential, hasRedirectUris: redirect_uris.length > 0, devices })
      : undefined
    const texts = { website_url: website_url || null, jwks: keySetOf(jwks) }
    return submit.send({ ...values, ...texts, confidential, redirect_uris, grant_types })
  }
  return (
    <Section title="What it is">
      <Form form={form} submit={submit} onSubmit={send} buttons={<Create isPending={submit.isPending} />}>
        <Radio.Group
          label="Kind"
          description="This cannot be changed later."
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
        <Checkbox
          label={grantDescriptions[DEVICE_CODE_GRANT].label}
          description={`${grantDescriptions[DEVICE_CODE_GRANT].description}. Can be changed later, in its settings.`}
          key={form.key('devices')}
          {...form.getInputProps('devices', { type: 'checkbox' })}
        />
        <ProofFields form={form} />
      </Form>
    </Section>
  )
}

const Create = ({ isPending }: { isPending: boolean }) => (
  <Group justify="flex-end">
    <Anchor component={Link} to="/developer/applications" size="sm">
      Cancel
    </Anchor>
    <Button type="submit" loading={isPending}>
      Create application
    </Button>
  </Group>
)
