import type { Claimed } from './claim.ts'
import { LEASE_S } from './claim-rows.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { DeliveryContent, LoadedDelivery } from './load.ts'
import { releaseOf, type Settlement } from './settlement.ts'

/** A row that was claimed this many times more than it was charged is taken to be what ends the workers. */
const CLAIMS_BEYOND_ATTEMPTS = 5

export type Triage = { send: DeliveryContent } | { settle: Settlement }

/**
 * Whether a claimed row is sent, or settled without an attempt. It is given back when half of its lease is over, and when
 * its subscription has stopped since (the sweeper moves it then). It is `expired` when its event is gone, and failed as
 * `poison` when worker after worker has ended before its attempt was settled.
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

const finished = (row: Claimed, result: 'failed' | 'expired', reason: string | null): Settlement => ({
  ...releaseOf(row),
  outcome: { kind: 'finish', result, reason },
})
