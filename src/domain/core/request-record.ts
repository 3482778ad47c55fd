import type { Count } from '../../counters/counters.ts'
import { Problem } from './problem.ts'

/** What is found out about a request while it is answered. Whoever records the request reads it when the request has ended. */
export type RequestFindings = {
  /** The application, once it has proved its identity: by a credential, or at the token endpoints. */
  clientId?: string | undefined
  /** The credential that was counted, whether it was admitted or refused: whose it is, and where it stands in its limit. */
  credential?: CountedCredential | undefined
  /** Nobody waits for its answer any more: it was given one, as after a deadline, or its connection has ended. */
  hasEnded?: boolean
}
/** A caller whose request somebody records. */
type Recorded = { record?: RequestFindings }
export type CountedCredential = { clientId: string | null; rate: Count }

/**
 * Throws `unavailable` when nobody waits for the answer any more. For work whose effect would count as its caller's next step
 * although the caller has tried again meanwhile.
 */
export function requireWaiting({ record }: Recorded): void {
  if (record?.hasEnded) throw new Problem('unavailable', 'Nobody waits for this answer any more.')
}

/** Notes which application calls; a login session belongs to none. */
export function noteClient({ record }: Recorded, clientId: string | null): void {
  if (record && clientId !== null) record.clientId = clientId
}

/** Notes what the answer and the usage of the application say about a credential. */
export function noteCredential({ record }: Recorded, credential: CountedCredential): void {
  if (record) record.credential = credential
}
