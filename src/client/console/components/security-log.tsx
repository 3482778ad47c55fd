import { Code, Text } from '@mantine/core'
import { useAccount } from '../app/session.tsx'
import { type AuditRecord, describeAction, describeActor } from './audit-words.ts'
import { describeBrowser } from './browsers.ts'
import { Fact, Facts } from './facts.tsx'
import { Instant } from './instant.tsx'

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
        <Text fw={600}>{describeAction(action)}</Text>
        <Text size="sm" c="dimmed">
          <Instant at={at} isAbsolute /> · by {describeActor(record, id)}
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
