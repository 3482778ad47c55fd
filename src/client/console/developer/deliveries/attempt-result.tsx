import { isSuccess } from '../../../../shared/delivery.ts'
import { Status } from '../../components/feedback/status.tsx'

type Attempt = { status: number | null; error_class: string | null }

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
  E_DEADLINE: 'No answer within 15 seconds',
  E_BAD_RESPONSE: 'The answer is not HTTP',
  E_HEAD_TOO_LARGE: 'The head of the answer is too large',
  E_ABORTED: 'We had to stop; it is sent again',
}

/** The error class in words; undefined when there was an answer. */
export const describeError = ({ error_class }: Attempt): string | undefined =>
  error_class === null ? undefined : (errors[error_class] ?? error_class)

export function AttemptResult({ attempt }: { attempt: Attempt }) {
  const { status, error_class } = attempt
  if (isSuccess(status)) return <Status tone="good">{`${status} Delivered`}</Status>
  return <Status tone="bad">{status === null ? (error_class ?? 'Failed') : `${status} Failed`}</Status>
}
