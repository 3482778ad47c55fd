import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { Outputs } from '../../app/session.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Status, type Tone } from '../../components/feedback/status.tsx'
import { Instant } from '../../components/instant.tsx'
import { OperationName } from '../../components/operation-name.tsx'
import { describeDuration } from '../../components/times.ts'
import { explanationAddress } from './request-filters.ts'
import type { KeyNames } from './use-key-names.ts'

type LoggedRequest = Outputs['requests']['list']['items'][number]

const CLIENT_GONE = 499

export function toneOf(status: number): Tone {
  if (status >= 500) return 'bad'
  if (status === CLIENT_GONE) return 'quiet'
  return status >= 400 ? 'warn' : 'good'
}

export const answerWords = ({ status, code }: Pick<LoggedRequest, 'status' | 'code'>): string =>
  status === CLIENT_GONE ? 'The client left before the answer' : [status, code].filter(Boolean).join(' ')

/** Whose credential made a request: a key by its name, where it is known; nothing where none was asked for. */
function credentialWords({ operation, credential_id: id }: LoggedRequest, keyNames: KeyNames): string | null {
  if (id === null) return operation.includes('/oauth/') ? null : 'by a token of the application'
  if (id.startsWith('grt_')) return 'for a person'
  const name = keyNames.get(id)
  return name === undefined ? 'by a key that is gone' : `by key ${name}`
}

export function RequestRow({ request, keyNames }: { request: LoggedRequest; keyNames: KeyNames }) {
  const { request_id, at, operation, status, message, duration_ms } = request
  const credential = credentialWords(request, keyNames)
  return (
    <li className="row">
      <div className="row-main">
        <Group gap="0.25rem 0.75rem">
          <Status tone={toneOf(status)}>{answerWords(request)}</Status>
          <OperationName operation={operation} />
        </Group>
        {message && (
          <Text size="sm" className="breakable">
            {message}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          <Instant at={at} isAbsolute /> · {describeDuration(duration_ms)}
          {credential && ` · ${credential}`}
        </Text>
        <details className="more">
          <summary>Details</summary>
          <RequestFacts request={request} />
        </details>
      </div>
      <Anchor component={Link} to={explanationAddress(request_id)} size="sm">
        Explain this answer
      </Anchor>
    </li>
  )
}

/** What is known of a request beside its answer. */
export function RequestFacts({
  request,
}: {
  request: Pick<LoggedRequest, 'request_id' | 'credential_id' | 'address' | 'sent'>
}) {
  const { request_id, credential_id, address, sent } = request
  return (
    <>
      <Facts>
        <Fact name="Request">
          <Copyable value={request_id} label="request id" />
        </Fact>
        {credential_id && <Fact name={credential_id.startsWith('grt_') ? 'Grant' : 'Key'}>{credential_id}</Fact>}
        {address && <Fact name={address.includes('/') ? 'Network' : 'Address'}>{address}</Fact>}
      </Facts>
      {sent && <CodeBlock code={indented(sent)} label="What was sent" maxHeight={240} />}
    </>
  )
}

/** What was cut off is no JSON any more. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
