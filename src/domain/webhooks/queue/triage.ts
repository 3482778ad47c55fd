import { type Claimed, LEASE_S } from './claim.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { DeliveryContent, LoadedDelivery } from './load.ts'
import { releaseOf, type Settlement } from './settlement.ts'

/** So often may a row be handed out without an attempt being charged before it is taken for the reason. */
const CLAIMS_BEYOND_ATTEMPTS = 5

export type Triage = { send: DeliveryContent } | { settle: Settlement }

/**
 * Whether a claimed row is sent, or settled without an attempt: given back (its subscription stopped since, which is left
 * to the sweeper, or its lease is nearly over), `expired` when its event is gone, `poison` when it ended worker after worker.
 */
export function triage(
  row: Claimed,
  loaded: LoadedDelivery | undefined,
  clock: DatabaseClock,
  isStopped: boolean,
): Triage {
  const isLate = clock.age() > (LEASE_S * 1000) / 2
  if (isStopped || isLate || loaded?.kind === 'stopped') return { settle: releaseOf(row) }
  if (loaded?.kind !== 'content') return { settle: finished(row, 'expired', null) }
  if (row.claims > row.attempts + CLAIMS_BEYOND_ATTEMPTS) return { settle: finished(row, 'failed', 'poison') }
  return { send: loaded.content }
}

const finished = (row: Claimed, outcome: 'failed' | 'expired', reason: string | null): Settlement => ({
  ...releaseOf(row),
  verdict: { kind: 'finish', outcome, reason },
})
