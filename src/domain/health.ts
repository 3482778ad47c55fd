import { clockAheadMs } from '../db/database-time.ts'
import { countPending } from '../db/migrate.ts'
import { partitionsUntil } from '../db/partitions.ts'
import { within } from '../time/within.ts'
import type { Context } from './core/context.ts'
import { Problem } from './core/problem.ts'
import { apiVersion } from './core/version.ts'

/** Says that the process runs, nothing about its database. */
export const liveness = { ok: true, service: 'developer-api' } as const

const ANSWER_MS = 2_000
/** What is written would be dated wrongly, and what is compared with the times of the database judged wrongly. */
const CLOCK_OFF_MS_MAX = 2 * 60_000

/** What the service is and where its parts are. */
export function metadata({ publicUrl }: Pick<Context, 'publicUrl'>) {
  return {
    service: liveness.service,
    version: apiVersion,
    documentation: `${publicUrl}/docs`,
    openapi: `${publicUrl}/openapi.json`,
    authorization_server: `${publicUrl}/.well-known/oauth-authorization-server`,
  }
}

/**
 * Whether requests should be sent to this process: it is not stopping, and within 2 s the database answers, has every
 * migration of this release and the partitions that are written to now, and agrees about the time. Throws `unavailable`
 * otherwise.
 */
export async function checkReadiness(ctx: Context): Promise<{ ready: true }> {
  const lack = await within(ANSWER_MS, findLack(ctx), () => 'the database does not answer')
  if (lack !== undefined) throw new Problem('unavailable', `Not ready: ${lack}.`, { retryAfterS: 1 })
  return { ready: true }
}

async function findLack({ db, now, stopping }: Context): Promise<string | undefined> {
  if (stopping.aborted) return 'it stops'
  if ((await countPending(db)) > 0) return 'migrations are missing'
  if ((await partitionsUntil(db)) <= now()) return 'partitions are missing'
  return describeClock(await clockAheadMs(db))
}

function describeClock(aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) <= CLOCK_OFF_MS_MAX) return undefined
  const direction = aheadMs > 0 ? 'ahead of' : 'behind'
  return `the clock of this machine is ${Math.round(Math.abs(aheadMs) / 1000)} s ${direction} that of the database`
}
