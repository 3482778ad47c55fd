import { Anchor, Button, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { roleDescriptions } from '../../../../shared/roles.ts'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Status } from '../../components/feedback/status.tsx'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { More } from '../../components/more.tsx'
import { Name } from '../../components/name.tsx'
import { Page } from '../../components/page.tsx'
import { byCursor, itemsOf } from '../../components/pages.ts'
import { Row } from '../../components/row.tsx'
import { Section } from '../../components/section.tsx'

export type Application = Outputs['applications']['get']

export function Applications() {
  const trpc = useTRPC()
  const query = useInfiniteQuery(trpc.applications.list.infiniteQueryOptions({}, byCursor))
  return (
    <Page
      title="Applications"
      intro="An application is what calls the API: it has a client identifier, credentials, and the scopes that it may ask for."
      actions={<CreateApplication />}
    >
      <Loaded query={query}>{(found) => <ApplicationList applications={itemsOf(found)} />}</Loaded>
      <More query={query} />
    </Page>
  )
}

export const CreateApplication = () => (
  <Button component={Link} to="/developer/applications/new" leftSection={<Icon shape="plus" />}>
    Create application
  </Button>
)

function ApplicationList({ applications }: { applications: Application[] }) {
  if (applications.length === 0) {
    return (
      <Empty title="No application yet" action={<CreateApplication />}>
        Create one to get a client identifier, and with it tokens, API keys and webhooks.
      </Empty>
    )
  }
  return (
    <>
      <Applied title="Yours" applications={applications.filter(({ role }) => role === 'owner')} />
      <Applied title="Shared with you" applications={applications.filter(({ role }) => role !== 'owner')} />
    </>
  )
}

function Applied({ title, applications }: { title: string; applications: Application[] }) {
  if (applications.length === 0) return null
  return (
    <Section title={title}>
      <ul className="rows">
        {applications.map((application) => (
          <ApplicationRow key={application.id} application={application} />
        ))}
      </ul>
    </Section>
  )
}

function ApplicationRow({ application }: { application: Application }) {
  const { id, name, confidential, created_at, last_called_at, disabled_at, role } = application
  return (
    <Row
      title={
        <Anchor component={Link} to={`/developer/applications/${id}`} inherit>
          <Name>{name}</Name>
        </Anchor>
      }
      end={
        <Group gap="xs">
          {disabled_at && <Status tone="bad">Stopped</Status>}
          <Copyable value={id} label="client identifier" />
        </Group>
      }
    >
      {role !== 'owner' && `${roleDescriptions[role].label} · `}
      {kindOf(confidential)} · created <Instant at={created_at} />
      {last_called_at && (
        <>
          {' '}
          · last call <Instant at={last_called_at} />
        </>
      )}
    </Row>
  )
}

export const kindOf = (isConfidential: boolean): string =>
  isConfidential ? 'Confidential: runs on a server' : 'Public: runs on a device or in a browser'
