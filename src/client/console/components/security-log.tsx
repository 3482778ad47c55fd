import { Anchor, Code, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useAccount } from '../app/session.tsx'
import { useApplications } from '../developer/use-applications.ts'
import { type AuditRecord, describeAction, describeActor, pageOfTarget } from './audit-words.ts'
import { describeBrowser } from './browsers.ts'
import { Fact, Facts } from './facts.tsx'
import { Instant } from './instant.tsx'
import { Name } from './name.tsx'

/** Who did what, newest first, each with the facts that an investigation asks for. */
export function SecurityLog({ records }: { records: readonly AuditRecord[] }) {
  if (records.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing has happened yet.
      </Text>
    )
  }
  return (
    <ul className="rows">
      {records.map((record) => (
        <LogRow key={record.id} record={record} />
      ))}
    </ul>
  )
}

function LogRow({ record }: { record: AuditRecord }) {
  const { id } = useAccount()
  const { action, at, ip, user_agent } = record
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={600}>
          {describeAction(action)}
          <About record={record} />
        </Text>
        <Text size="sm" c="dimmed" component="div">
          <Instant at={at} isAbsolute /> · by <Name>{describeActor(record, id)}</Name>
          {ip && ` · ${ip}`}
          {user_agent && ` · ${describeBrowser(user_agent)}`}
        </Text>
        <details className="more">
          <summary>Details</summary>
          <RecordFacts record={record} />
        </details>
      </div>
    </li>
  )
}

/** What it was done to, and in which application, with the pages about them. */
function About({ record }: { record: AuditRecord }) {
  const { id: readerId } = useAccount()
  const { application_id, application_name, target_name } = record
  const { data: applications = [] } = useApplications()
  const own = new Set(applications.map(({ id }) => id))
  const page = pageOfTarget(record, readerId, own)
  const isOwn = application_id !== null && own.has(application_id)
  return (
    <>
      {(target_name !== null || page !== undefined) && (
        <>
          {': '}
          <Linked to={page?.to} words={page?.words ?? target_name ?? ''} />
        </>
      )}
      {application_name !== null && (
        <>
          {' · '}
          <Linked to={isOwn ? `/developer/applications/${application_id}` : undefined} words={application_name} />
        </>
      )}
    </>
  )
}

function Linked({ to, words }: { to: string | undefined; words: string }) {
  if (to === undefined) return <Name>{words}</Name>
  return (
    <Anchor component={Link} to={to}>
      <Name>{words}</Name>
    </Anchor>
  )
}

function RecordFacts({ record }: { record: AuditRecord }) {
  const { action, target_id, application_id, actor_id, request_id, details } = record
  const known = { Action: action, Of: target_id, Application: application_id, By: actor_id, Request: request_id }
  return (
    <Facts>
      {Object.entries({ ...known, ...details }).map(
        ([name, value]) =>
          value !== null && (
            <Fact key={name} name={name}>
              <Code>{Array.isArray(value) ? value.join(' ') : String(value)}</Code>
            </Fact>
          ),
      )}
    </Facts>
  )
}
