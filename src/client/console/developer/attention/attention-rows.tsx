import { Code } from '@mantine/core'
import { exactly } from '../../components/charts/numbers.ts'
import { Status } from '../../components/feedback/status.tsx'
import { Instant } from '../../components/instant.tsx'
import { Name } from '../../components/name.tsx'
import { requestLogAddress } from '../requests/request-filters.ts'
import { answerWords } from '../requests/request-row.tsx'
import { AttentionRow } from './attention-list.tsx'
import type { Attention } from './needs-attention.tsx'

const COUNTED_MAX = 1_000

const times = (count: number) => (count >= COUNTED_MAX ? `${exactly(COUNTED_MAX)} or more` : exactly(count))

export function GivenUpRow({ given }: { given: Attention['failed_deliveries'][number] }) {
  const { subscription_id, application_name, url, count, last_at } = given
  const to = `/developer/deliveries?${new URLSearchParams({ subscription: subscription_id, outcome: 'failed' })}`
  return (
    <AttentionRow to={to} title={url} state={<Status tone="bad">{`${times(count)} failed`}</Status>}>
      <Name>{application_name}</Name> · the last <Instant at={last_at} end="." /> They can be sent again.
    </AttentionRow>
  )
}

export function RefusedRow({ refused }: { refused: Attention['failures'][number] }) {
  const { application_id, application_name, count, operation, message, last_at, status } = refused
  return (
    <AttentionRow
      to={requestLogAddress(application_id, { status: 'failed' })}
      title={<Name>{application_name}</Name>}
      state={<Status tone={status >= 500 ? 'bad' : 'warn'}>{`${times(count)} failed`}</Status>}
    >
      The last <Instant at={last_at} end=":" /> <Code>{operation}</Code> answered {answerWords(refused)}.
      {message && ` ${message}`}
    </AttentionRow>
  )
}

export function KeyRow({ ending }: { ending: Attention['keys'][number] }) {
  const { application_id, application_name, name, last4, expires_at } = ending
  const isOver = Date.parse(expires_at) <= Date.now()
  return (
    <AttentionRow
      to={`/developer/applications/${application_id}/keys`}
      title={<Name>{name}</Name>}
      state={isOver ? <Status tone="bad">Expired</Status> : <Status tone="warn">Ends soon</Status>}
    >
      …{last4} of <Name>{application_name}</Name> · {isOver ? 'expired' : 'ends'} <Instant at={expires_at} end="." />{' '}
      {isOver
        ? 'Whoever still uses it is refused: make a new one.'
        : 'Roll it before: the old one works for another day.'}
    </AttentionRow>
  )
}
