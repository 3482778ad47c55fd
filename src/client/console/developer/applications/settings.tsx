import { Button, Checkbox, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from 'react-router'
import { type GrantType, grantDescriptions, grantTypes } from '../../../../shared/grants.ts'
import { useTRPC } from '../../app/api.ts'
import { useAction } from '../../components/forms/action.ts'
import { sendChanged } from '../../components/forms/changed.ts'
import { Form } from '../../components/forms/form.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { isolated } from '../../components/name.tsx'
import { Section } from '../../components/section.tsx'
import { useApplication, useMayDevelop } from './application.tsx'
import { ApplicationFields, applicationFields, atLeastOne, linesOf } from './application-fields.tsx'
import { RegistrationFacts } from './registration-facts.tsx'

export function Settings() {
  const { id, role } = useApplication()
  const mayDevelop = useMayDevelop()
  return (
    <Stack gap="lg" key={id}>
      {mayDevelop ? <Registration /> : <RegistrationFacts />}
      {role === 'owner' && <Deletion />}
    </Stack>
  )
}

function Registration() {
  const trpc = useTRPC()
  const { id, name, website_url, redirect_uris, scopes, grant_types } = useApplication()
  const texts = { name, website_url: website_url ?? '', redirect_uris: redirect_uris.join('\n') }
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { ...texts, scopes, grant_types },
    validate: { scopes: atLeastOne },
  })
  const submit = useSubmit(form, trpc.applications.update.mutationOptions(), {
    fields: applicationFields,
    done: 'The application is saved.',
    refresh: trpc.applications.pathKey(),
  })
  const send = ({ redirect_uris: lines, website_url: website, ...changed }: Partial<typeof form.values>) =>
    submit.send({
      id,
      ...changed,
      ...(website !== undefined && { website_url: website || null }),
      ...(lines !== undefined && { redirect_uris: linesOf(lines) }),
    })
  return (
    <Section title="Registration" intro="Keys and tokens lose the scopes that you take away here.">
      <Form
        form={form}
        submit={submit}
        onSubmit={(typed) => sendChanged(form, typed, send)}
        buttons={<Save isPending={submit.isPending} />}
      >
        <ApplicationFields form={form} />
        <GrantsInput key={form.key('grant_types')} {...form.getInputProps('grant_types')} />
      </Form>
    </Section>
  )
}

const Save = ({ isPending }: { isPending: boolean }) => (
  <Group justify="flex-end">
    <Button type="submit" loading={isPending}>
      Save
    </Button>
  </Group>
)

type GrantsInputProps = { defaultValue?: GrantType[]; onChange?: (grants: GrantType[]) => void; error?: string }

function GrantsInput({ onChange, ...group }: GrantsInputProps) {
  const { confidential } = useApplication()
  const possible = grantTypes.filter((grant) => confidential || grant !== 'client_credentials')
  return (
    <Checkbox.Group
      {...group}
      label="Grants"
      description="How it gets tokens."
      onChange={(values) => onChange?.(possible.filter((grant) => values.includes(grant)))}
    >
      <Stack gap="xs" mt="xs">
        {possible.map((grant) => (
          <Checkbox key={grant} value={grant} {...grantDescriptions[grant]} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

function Deletion() {
  const trpc = useTRPC()
  const navigate = useNavigate()
  const { id, name } = useApplication()
  const { run, isPending } = useAction(trpc.applications.delete.mutationOptions(), {
    done: `${isolated(name)} is deleted.`,
    failed: 'The application was not deleted',
    refresh: trpc.applications.list.pathKey(),
  })
  const question = {
    title: `Delete ${isolated(name)}?`,
    body: 'Its secrets, keys, tokens, consents and webhooks are gone at once. This cannot be undone.',
    action: 'Delete application',
    phrase: name,
  }
  const remove = async () => {
    if (await run({ id }, question)) await navigate('/developer/applications')
  }
  return (
    <Section title="Delete this application" intro={question.body}>
      <Group>
        <Button color="red.9" loading={isPending} onClick={() => void remove()}>
          Delete application
        </Button>
      </Group>
    </Section>
  )
}
