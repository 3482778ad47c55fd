import { Button, Checkbox, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { type GrantType, grantDescriptions, grantTypes } from '../../../../shared/grants.ts'
import { useTRPC } from '../../app/api.ts'
import { notifyDone } from '../../components/feedback/notices.tsx'
import { useAction } from '../../components/forms/action.ts'
import { fieldErrors } from '../../components/forms/field-errors.ts'
import { FormProblem } from '../../components/forms/form-problem.tsx'
import { Section } from '../../components/section.tsx'
import { useApplication } from './application.tsx'
import { ApplicationFields, applicationFields, linesOf } from './application-fields.tsx'

export function Settings() {
  const { id } = useApplication()
  return (
    <Stack gap="lg" key={id}>
      <Registration />
      <Deletion />
    </Stack>
  )
}

function Registration() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { id, name, website_url, redirect_uris, scopes, grant_types } = useApplication()
  const texts = { name, website_url: website_url ?? '', redirect_uris: redirect_uris.join('\n') }
  const form = useForm({ mode: 'uncontrolled', initialValues: { ...texts, scopes, grant_types } })
  const { mutate, error, isPending } = useMutation(
    trpc.applications.update.mutationOptions({
      onSuccess: () => {
        notifyDone('The application is saved.')
        return queries.invalidateQueries({ queryKey: trpc.applications.pathKey() })
      },
      onError: (failure) => form.setErrors(fieldErrors(failure, applicationFields)),
    }),
  )
  const submit = form.onSubmit(({ redirect_uris: lines, website_url: website, ...values }) =>
    mutate({ id, ...values, website_url: website || null, redirect_uris: linesOf(lines) }),
  )
  return (
    <Section title="Registration" intro="Keys and tokens lose the scopes that you take away here.">
      <form className="form" onSubmit={submit}>
        <ApplicationFields form={form} />
        <GrantsInput key={form.key('grant_types')} {...form.getInputProps('grant_types')} />
        <FormProblem form={form} error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            Save
          </Button>
        </Group>
      </form>
    </Section>
  )
}

type GrantsInputProps = { defaultValue?: GrantType[]; onChange?: (grants: GrantType[]) => void; error?: string }

function GrantsInput({ onChange, ...group }: GrantsInputProps) {
  const { confidential } = useApplication()
  const possible = grantTypes.filter((grant) => confidential || grant !== 'client_credentials')
  return (
    <Checkbox.Group
      {...group}
      label="Grants"
      description="How it gets tokens"
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
    done: `${name} is deleted.`,
    failed: 'The application was not deleted',
    refresh: trpc.applications.list.pathKey(),
  })
  const question = {
    title: `Delete ${name}?`,
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
