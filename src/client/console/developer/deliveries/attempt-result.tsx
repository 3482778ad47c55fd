import { Text } from '@mantine/core'
import { isSuccess } from '../../../../shared/delivery.ts'
import { Status } from '../../components/feedback/status.tsx'

type Attempt = { status: number | null; error_class: string | null; detail: string | null }

/** The error classes in words. */
const errors: Record<string, string | undefined> = {
  E_BLOCKED_ADDRESS: 'The address is one that we do not call',
  E_UNSAFE_URL: 'The URL is one that we do not call',
  E_DNS: 'The name has no address',
  E_DNS_TIMEOUT: 'The name server did not answer',
  E_CONNECT_TIMEOUT: 'The connection was not accepted in time',
  E_REFUSED: 'The connection was refused',
  E_RESET: 'The connection was closed before an answer',
  E_TLS: 'The certificate or the encryption is not right',
  E_DEADLINE: 'No answer within 15 seconds. Let it answer first, and work afterwards',
  E_BAD_RESPONSE: 'The answer is not HTTP',
  E_HEAD_TOO_LARGE: 'The head of the answer is too large',
  E_ABORTED: 'We had to stop; it is sent again',
}

const NOT_LET_IN =
  'The receiver does not let it in: if it says so of the signature, compare its signing secret with the Doctor, or rotate it.'
const OWN_FAILURE = 'The receiver itself failed: its log says why.'
const SERVER_ERROR = 500

/** What a status means for whoever runs the receiver. */
const answers: Record<number, string | undefined> = {
  401: NOT_LET_IN,
  403: NOT_LET_IN,
  404: 'The receiver has nothing at this path.',
  405: 'The receiver takes no POST at this path.',
  410: 'The receiver wants no more of it.',
  429: 'The receiver asks for fewer at a time.',
}

const wordsOf = ({ status, error_class }: Attempt): string | undefined => {
  if (error_class !== null) return `${errors[error_class] ?? error_class}.`
  if (status === null) return undefined
  return answers[status] ?? (status >= SERVER_ERROR ? OWN_FAILURE : undefined)
}

/** Why an attempt failed: its error class or its status in words, and what that leaves open. */
export function AttemptReason({ attempt }: { attempt: Attempt }) {
  const sentences = [wordsOf(attempt), attempt.detail].filter(Boolean)
  if (sentences.length === 0) return null
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {sentences.join(' ')}
    </Text>
  )
}

export function AttemptResult({ attempt }: { attempt: Omit<Attempt, 'detail'> }) {
  const { status, error_class } = attempt
  if (isSuccess(status)) return <Status tone="good">{`${status} Delivered`}</Status>
  return <Status tone="bad">{status === null ? (error_class ?? 'Failed') : `${status} Failed`}</Status>
}
