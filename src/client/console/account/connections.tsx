import { Anchor, Button, Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { scopeDescriptions } from '../../../shared/scope-descriptions.ts'
import { useTRPC } from '../app/api.ts'
import type { Outputs } from '../app/session.tsx'
import { Empty } from '../components/feedback/empty.tsx'
import { Loaded } from '../components/feedback/loaded.tsx'
import { useAction } from '../components/forms/action.ts'
import { Instant } from '../components/instant.tsx'
import { More } from '../components/more.tsx'
import { isolated } from '../components/name.tsx'
import { Page } from '../components/page.tsx'
import { byCursor, itemsOf } from '../components/pages.ts'
import { Section } from '../components/section.tsx'

type Allowed = Outputs['account']['grants']['list']['items'][number]
type Webhook = Allowed['webhooks'][number]

export function Connections() {
  const trpc = useTRPC()
  const query = useInfiniteQuery(trpc.account.grants.list.infiniteQueryOptions({}, byCursor))
  return (
    <Page
      title="Connected applications"
      intro="Applications of others that you have allowed to act for you. Revoking one ends all its tokens at once."
    >
      <Loaded query={query}>{(found) => <AllowedList allowed={itemsOf(found)} />}</Loaded>
      <More query={query} />
    </Page>
  )
}

function AllowedList({ allowed }: { allowed: Allowed[] }) {
  if (allowed.length === 0) {
    return (
      <Empty title="No application has access">
        When you allow an application to use your account, it appears here, with what it may do.
      </Empty>
    )
  }
  return allowed.map((one) => <AllowedApplication key={one.application_id} allowed={one} />)
}

function AllowedApplication({ allowed }: { allowed: Allowed }) {
  const { name, website_url, scopes, grants, first_allowed_at, last_allowed_at } = allowed
  const { revoke, isPending } = useRevoke(allowed)
  return (
    <Section
      title={name}
      intro={
        <>
          Allowed <Instant at={first_allowed_at} />
          {grants > 1 && (
            <>
              {' '}
              on {grants} devices, last <Instant at={last_allowed_at} />
            </>
          )}
          .{' '}
          {website_url && (
            <Anchor href={website_url} rel="noreferrer" target="_blank" size="sm" className="breakable">
              {website_url}
            </Anchor>
          )}
        </>
      }
      actions={
        <Button variant="default" size="xs" loading={isPending} onClick={revoke}>
          Revoke access
        </Button>
      }
    >
      <div>
        <Text size="sm">It can:</Text>
        <ul className="wishes">
          {scopes.map((scope) => (
            <li key={scope}>{scopeDescriptions[scope]}</li>
          ))}
        </ul>
      </div>
      <Webhooks allowed={allowed} />
    </Section>
  )
}

/** Who gets what happens in this person's channel, as it happens. */
function Webhooks({ allowed: { name, webhooks } }: { allowed: Allowed }) {
  if (webhooks.length === 0) return null
  return (
    <div>
      <Text size="sm">It has events of your channel sent to:</Text>
      <ul className="wishes">
        {webhooks.map((webhook) => (
          <HearingWebhook key={webhook.id} name={name} webhook={webhook} />
        ))}
      </ul>
    </div>
  )
}

function HearingWebhook({ name, webhook: { id, host, event_types, created_at } }: { name: string; webhook: Webhook }) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.account.webhooks.delete.mutationOptions(), {
    done: `Nothing is sent to ${host} any more.`,
    failed: 'The webhook was not removed',
    refresh: trpc.account.grants.pathKey(),
  })
  const body = `${host} gets no more events of your channel. ${isolated(name)} can add another webhook as long as it has access.`
  const question = { title: `Remove the webhook to ${host}?`, body, action: 'Remove webhook' }
  return (
    <li>
      <Group gap="xs">
        <span className="breakable">
          <b>{host}</b>: {event_types.join(', ')}, since <Instant at={created_at} />
        </span>
        <Button variant="subtle" size="compact-xs" loading={isPending} onClick={() => void run({ id }, question)}>
          Remove
        </Button>
      </Group>
    </li>
  )
}

function useRevoke({ application_id, name }: Allowed) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.account.grants.revoke.mutationOptions(), {
    done: `${isolated(name)} has no access any more.`,
    failed: 'The access was not revoked',
    refresh: trpc.account.grants.pathKey(),
  })
  const body = `${isolated(name)} can no longer act for you, and its webhooks about your channel stop. To undo this you would have to allow it again there.`
  const question = { title: `Revoke the access of ${isolated(name)}?`, body, action: 'Revoke access' }
  return { revoke: () => void run({ application_id }, question), isPending }
}
