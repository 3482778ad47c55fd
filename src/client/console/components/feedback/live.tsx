import { Status } from './status.tsx'

/** As tRPC names the states of a subscription. */
export type StreamStatus = 'idle' | 'connecting' | 'pending' | 'error'

/** Whether what is shown follows what happens. */
export function Live({ status }: { status: StreamStatus }) {
  if (status === 'pending') return <Status tone="good">Live</Status>
  return <Status tone="warn">{status === 'error' ? 'Not live' : 'Connecting…'}</Status>
}
