import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Copyable } from '../../components/copy.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { ScopeList } from '../../components/forms/scopes-input.tsx'
import { Instant } from '../../components/instant.tsx'
import { Name } from '../../components/name.tsx'
import { Section } from '../../components/section.tsx'
import { useApplications } from '../use-applications.ts'
import type { WebhookDetails } from './webhook.tsx'
import { WebhookStatus } from './webhook-status.tsx'

export function WebhookFacts({ webhook, live }: { webhook: WebhookDetails; live: ReactNode }) {
  const { id, application_id, user_id, event_types, created_at, last_success_at } = webhook
  const { data: applications = [] } = useApplications()
  const name = applications.find((one) => one.id === application_id)?.name ?? application_id
  return (
    <Section title="Subscription" actions={live}>
      <Facts>
        <Fact name="Status">
          <WebhookStatus webhook={webhook} />
        </Fact>
        <Fact name="Identifier">
          <Copyable value={id} label="identifier" />
        </Fact>
        <Fact name="Application">
          <Anchor component={Link} to={`/developer/applications/${application_id}`} size="sm">
            <Name>{name}</Name>
          </Anchor>
        </Fact>
        <Fact name="Events of">
          {user_id === null ? 'every channel' : <Copyable value={user_id} label="user identifier" />}
        </Fact>
        <Fact name="Event types">
          <ScopeList scopes={event_types} />
        </Fact>
        <Fact name="Last success">{last_success_at ? <Instant at={last_success_at} /> : 'None yet'}</Fact>
        <Fact name="Created">
          <Instant at={created_at} />
        </Fact>
      </Facts>
    </Section>
  )
}
