import { Anchor, Button, Group, NativeSelect } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { useAccount } from '../../app/session.tsx'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { EventTypesInput } from '../../components/forms/event-types-input.tsx'
import { Form } from '../../components/forms/form.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { type Secret, ShownOnce } from '../../components/shown-once.tsx'
import type { Application } from '../applications/applications.tsx'
import { CreateApplication } from '../applications/applications.tsx'
import { MissingScope } from '../applications/missing-scope.tsx'
import { useDevelopedApplications } from '../use-applications.ts'
import { WebhookDescription, WebhookUrl, webhookRules } from './webhook-fields.tsx'

const above = [{ label: 'Webhooks', to: '/developer/webhooks' }]
const hint = 'Your receiver verifies with it that a delivery is from us.'

export function NewWebhook() {
  const navigate = useNavigate()
  const applications = useDevelopedApplications()
  const [secret, setSecret] = useState<Secret & { id: string }>()
  return (
    <Page title="Create a subscription" above={above}>
      <Loaded query={applications}>
        {(found) =>
          found.length === 0 ? (
            <Empty title="First an application" action={<CreateApplication />}>
              Subscriptions belong to applications, and you have none yet.
            </Empty>
          ) : (
            <NewWebhookForm
              applications={found}
              onCreated={(id, value) => setSecret({ id, title: 'Signing secret', value, hint })}
            />
          )
        }
      </Loaded>
      <ShownOnce
        secret={secret}
        onClose={() => secret && void navigate(`/developer/webhooks/${secret.id}`, { replace: true })}
      />
    </Page>
  )
}

type NewWebhookFormProps = { applications: Application[]; onCreated: (id: string, signingSecret: string) => void }

function NewWebhookForm({ applications, onCreated }: NewWebhookFormProps) {
  const trpc = useTRPC()
  const [search] = useSearchParams()
  const { username } = useAccount()
  const application_id = search.get('application') ?? (applications.find(maySubscribe) ?? applications[0])?.id ?? ''
  const form = useForm({
    initialValues: {
      application_id,
      url: '',
      channel: 'every' as 'every' | 'own',
      event_types: [] as string[],
      description: '',
    },
    validateInputOnBlur: ['url'],
    validate: {
      application_id: (id) => (lackingOf(applications, id) ? 'It may not subscribe.' : null),
      ...webhookRules,
    },
  })
  const lacking = lackingOf(applications, form.values.application_id)
  const submit = useSubmit(form, trpc.webhooks.create.mutationOptions(), {
    fields,
    refresh: trpc.webhooks.pathKey(),
    onDone: ({ id, signing_secret }) => onCreated(id, signing_secret),
  })
  return (
    <Section title="What goes where">
      <Form form={form} submit={submit} onSubmit={submit.send} buttons={<Submit isPending={submit.isPending} />}>
        <NativeSelect
          label="Application"
          data={applications.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps('application_id')}
          error={lacking ? <MissingScope application={lacking} scope={SCOPE} /> : form.errors.application_id}
        />
        <WebhookUrl form={form} />
        <NativeSelect
          label="Events of"
          description={form.values.channel === 'own' && OWN_CHANNEL}
          data={[
            { value: 'every', label: 'Every channel' },
            { value: 'own', label: `My channel (${username})` },
          ]}
          {...form.getInputProps('channel')}
        />
        <EventTypesInput
          note={form.values.channel === 'every' && NO_MODERATION}
          withModeration={form.values.channel === 'own'}
          {...form.getInputProps('event_types')}
        />
        <WebhookDescription form={form} />
      </Form>
    </Section>
  )
}

const SCOPE = 'webhook:write'
const maySubscribe = ({ scopes }: Application) => scopes.includes(SCOPE)

/** The chosen application, when it may not subscribe. */
const lackingOf = (applications: Application[], chosen: string) =>
  applications.find((one) => one.id === chosen && !maySubscribe(one))

const NO_MODERATION =
  'Moderation events are a matter of the channel’s owner: of your own channel choose them above, of another one subscribe through the API, with a token of that user and a moderation scope.'

const OWN_CHANNEL = 'You allow the application to hear your channel; Account → Connections shows it, and takes it back.'

const fields = ['application_id', 'channel', 'url', 'event_types', 'description']

const Submit = ({ isPending }: { isPending: boolean }) => (
  <Group justify="flex-end">
    <Anchor component={Link} to="/developer/webhooks" size="sm">
      Cancel
    </Anchor>
    <Button type="submit" loading={isPending}>
      Create subscription
    </Button>
  </Group>
)
