import { Status } from './status.tsx'

/** tRPC's names for the states of a subscription. */
export type StreamStatus = 'idle' | 'connecting' | 'pending' | 'error'

/** Shows whether the page is updated live. */
export function Live({ status }: { status: StreamStatus }) {
  if (status === 'pending') return <Status tone="good">Live</Status>
  return <Status tone="warn">{status === 'error' ? 'Not live' : 'Connecting…'}</Status>
}
