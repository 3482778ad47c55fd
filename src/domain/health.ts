import type { Database } from '../db/client.ts'
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
/** Anybody may ask, in any number: one question a second is the database's share of it. */
const ASK_EVERY_MS = 1_000
/** What is written would be dated wrongly, and what is compared with the times of the database judged wrongly. */
export const CLOCK_OFF_MS_MAX = 2 * 60_000

/** What the service is and where its parts are. */
export function metadata({ publicUrl }: Pick<Context, 'publicUrl'>) {
  return {
    service: liveness.service,
    version: apiVersion,
    documentation: `${publicUrl}/docs`,
    openapi: `${publicUrl}/openapi.json`,
    openapi_extensions: `${publicUrl}/openapi.extensions.json`,
    asyncapi: `${publicUrl}/asyncapi.json`,
    authorization_server: `${publicUrl}/.well-known/oauth-authorization-server`,
  }
}

/**
 * Whether requests should be sent to this process: it is not stopping, and within 2 s the database answers, has every
 * migration of this release and the partitions that are written to now, and agrees about the time. What the database said
 * counts for a second, for all who ask. Throws `unavailable` otherwise.
 */
export async function checkReadiness(ctx: Context): Promise<{ ready: true }> {
  const lack = ctx.stopping.aborted ? 'it stops' : await latestLack(ctx)
  if (lack !== undefined) throw new Problem('unavailable', `Not ready: ${lack}.`, { retryAfterS: 1 })
  return { ready: true }
}

type Question = { askedAtMs: number; isOpen: boolean; lack: Promise<string | undefined> }

const latest = new WeakMap<Database, Question>()

/** What the database lacks, by the question that is open or was asked within the last second. */
function latestLack(ctx: Context): Promise<string | undefined> {
  const known = latest.get(ctx.db)
  if (known && (known.isOpen || performance.now() - known.askedAtMs < ASK_EVERY_MS)) return known.lack
  const lack = within(ANSWER_MS, findLack(ctx), () => 'the database does not answer')
  const question = { askedAtMs: performance.now(), isOpen: true, lack }
  const close = () => {
    question.isOpen = false
  }
  lack.then(close, close)
  latest.set(ctx.db, question)
  return lack
}

async function findLack({ db, now }: Context): Promise<string | undefined> {
  if ((await countPending(db)) > 0) return 'migrations are missing'
  const clockOff = describeClock(await clockAheadMs(db))
  if (clockOff) return clockOff // whose partitions would be looked for in the wrong days
  const present = now()
  return (await partitionsUntil(db, present)) <= present ? 'partitions are missing' : undefined
}

function describeClock(aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) <= CLOCK_OFF_MS_MAX) return undefined
  const direction = aheadMs > 0 ? 'ahead of' : 'behind'
  return `the clock of this machine is ${Math.round(Math.abs(aheadMs) / 1000)} s ${direction} that of the database`
}
