import { Anchor, Button, Group } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { EventTypesInput } from '../../components/forms/event-types-input.tsx'
import { Form } from '../../components/forms/form.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import type { WebhookDetails } from './webhook.tsx'
import { WebhookDescription, WebhookUrl, webhookRules } from './webhook-fields.tsx'

/** Changes where a subscription sends, what, and how it is called. */
export function EditWebhook() {
  const trpc = useTRPC()
  const { id = '' } = useParams()
  const query = useQuery(trpc.webhooks.get.queryOptions({ id }))
  const above = [
    { label: 'Webhooks', to: '/developer/webhooks' },
    { label: query.data?.description ?? query.data?.url ?? 'Subscription', to: `/developer/webhooks/${id}` },
  ]
  return (
    <Page title="Edit the subscription" above={above}>
      <Loaded query={query}>{(webhook) => <EditForm webhook={webhook} />}</Loaded>
    </Page>
  )
}

const NO_MODERATION =
  'It hears every channel, and moderation events are a matter of a channel’s owner: make another subscription for your own channel to hear of them.'

const fields = ['url', 'event_types', 'description']

function EditForm({ webhook: { id, url, event_types, description, user_id } }: { webhook: WebhookDetails }) {
  const trpc = useTRPC()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { url, event_types, description: description ?? '' },
    validateInputOnBlur: ['url'],
    validate: webhookRules,
  })
  const submit = useSubmit(form, trpc.webhooks.update.mutationOptions(), {
    fields,
    done: 'The subscription is changed.',
    refresh: trpc.webhooks.pathKey(),
    onDone: () => void navigate(`/developer/webhooks/${id}`),
  })
  /** Only what was changed here: somebody else may have changed the rest meanwhile. */
  const save = (values: typeof form.values) =>
    submit.send({
      id,
      ...(form.isDirty('url') && { url: values.url }),
      ...(form.isDirty('event_types') && { event_types: values.event_types }),
      ...(form.isDirty('description') && { description: values.description }),
    })
  return (
    <Section
      title="What goes where"
      intro="The signing secret and the ledger stay. What is pending goes to the new address from its next attempt on."
    >
      <Form form={form} submit={submit} onSubmit={save} buttons={<Buttons id={id} isPending={submit.isPending} />}>
        <WebhookUrl form={form} />
        <EventTypesInput
          note={user_id === null && NO_MODERATION}
          withModeration={user_id !== null}
          {...form.getInputProps('event_types')}
        />
        <WebhookDescription form={form} />
      </Form>
    </Section>
  )
}

const Buttons = ({ id, isPending }: { id: string; isPending: boolean }) => (
  <Group justify="flex-end">
    <Anchor component={Link} to={`/developer/webhooks/${id}`} size="sm">
      Cancel
    </Anchor>
    <Button type="submit" loading={isPending}>
      Save changes
    </Button>
  </Group>
)
