import type { Count } from '../../counters/counters.ts'
import { isId } from './ids.ts'
import { Problem } from './problem.ts'

/** What is found out about a request while it is answered. Whoever records the request reads it when the request has ended. */
export type RequestFindings = {
  /** The application, once it has proved its identity: by a credential, also one that has ended, or at the token endpoints. */
  clientId?: string | undefined
  /** The application that a request names at the token endpoints without proving to be it. */
  claimedClientId?: string | undefined
  /** Whether there is an application of that name; left out while nobody has looked. */
  isClaimKnown?: boolean | undefined
  /** The credential that was counted, whether it was admitted or refused: whose it is, and where it stands in its limit. */
  credential?: CountedCredential | undefined
  /** The API key or the grant that the credential came from, also when it has ended; a token of an application itself has none. */
  credentialId?: string | undefined
  /** Why the request failed, as its answer says. */
  problem?: Problem | undefined
  /** The fields of its body, once they were read. */
  body?: unknown
  /** Nobody waits for its answer any more: it was given one, as after a deadline, or its connection has ended. */
  hasEnded?: boolean
  /** What is to be done at that moment. */
  onEnd?: Set<() => void> | undefined
}
/** A caller whose request somebody records. */
type Recorded = { record?: RequestFindings }
export type CountedCredential = { clientId: string | null; rate: Count }

/**
 * Throws `unavailable` when nobody waits for the answer any more. For work whose effect would count as its caller's next step
 * although the caller has tried again meanwhile.
 */
export function requireWaiting({ record }: Recorded): void {
  if (record?.hasEnded) throw nobodyWaits()
}

/** Why nothing is done for who is gone. */
export const nobodyWaits = () => new Problem('unavailable', 'Nobody waits for this answer any more.')

/** Calls `leave` when nobody waits for the answer any more, unless what it returns was called before. */
export function whenGone(record: RequestFindings | undefined, leave: () => void): () => void {
  if (!record) return () => {}
  record.onEnd ??= new Set()
  const { onEnd } = record
  onEnd.add(leave)
  return () => void onEnd.delete(leave)
}

/** Nobody waits for the answer of a request any more. */
export function endRequest(record: RequestFindings): void {
  record.hasEnded = true
  for (const leave of record.onEnd ?? []) leave()
}

/** Notes which application calls; a login session belongs to none. */
export function noteClient({ record }: Recorded, clientId: string | null): void {
  if (record && clientId !== null) record.clientId = clientId
}

/** Notes which application a request names that has not proved to be it; `isKnown`, once it is known whether there is such a one. */
export function noteClaim({ record }: Recorded, clientId: string, isKnown?: boolean): void {
  if (!record || !isId('client', clientId)) return
  record.claimedClientId = clientId
  record.isClaimKnown = isKnown
}

/** Notes what the answer and the usage of the application say about a credential. */
export function noteCredential({ record }: Recorded, credential: CountedCredential, credentialId?: string): void {
  if (!record) return
  record.credential = credential
  record.credentialId = credentialId
}

/** Whose credential it was that has ended. */
export type EndedCredential = { clientId: string; credentialId: string | undefined }

/** Notes whose credential was refused because it has ended: whoever has it was given it once. */
export function noteEnded({ record }: Recorded, { clientId, credentialId }: EndedCredential): void {
  if (!record) return
  record.clientId = clientId
  record.credentialId = credentialId
}
