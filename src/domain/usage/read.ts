import { instantText, statement } from '../../db/statement.ts'
import { requireApplication } from '../access/ownership.ts'
import type { OwnerContext } from '../core/context.ts'
import { rateLimits } from '../core/rate-limits.ts'
import { readInTurn } from '../core/turns/take-turn.ts'
import { deliveryLatency } from './delivery-latency.ts'
import type { Usage } from './resources.ts'
import { stepsUntil, type UsagePeriod, usagePeriods } from './steps.ts'

const OPERATIONS_MAX = 20
const KEYS_MAX = 20

type Counted = Pick<Usage['operations'][number], 'requests' | 'errors' | 'limited' | 'mean_ms'>

const SUMS = `sum(requests)::float8 as requests, sum(errors)::float8 as errors, sum(limited)::float8 as limited,
  round(sum(duration_ms)::numeric / sum(requests), 1)::float8 as mean_ms`

const bySteps = statement<[clientId: string, from: Date, step: string], Counted & { at: string }>(`
select ${instantText('step.begin')} as at, ${SUMS}
  from client_usage cross join lateral (select date_trunc($3::text, hour, 'UTC') as begin) as step
 where client_id = $1 and hour >= $2::timestamptz group by step.begin`)

const byOperations = statement<[clientId: string, from: Date, count: number], Counted & { operation: string }>(`
select operation, ${SUMS} from client_usage
 where client_id = $1 and hour >= $2::timestamptz group by operation order by requests desc, operation limit $3::int`)

type LivingKey = { id: string; name: string; last4: string; hash: Buffer }

const livingKeys = statement<[clientId: string, count: number], LivingKey>(`
select id, name, last4, hash from api_keys
 where client_id = $1 and revoked_at is null and (expires_at is null or expires_at > statement_timestamp())
 order by id desc limit $2::int`)

/**
 * The usage of an application in the last 24 hours or 30 days, and where its keys stand in their rate limit. The
 * requests of the last few seconds are not in the database yet. Throws `not_found`.
 */
export async function getUsage(
  ctx: OwnerContext,
  input: { application_id: string; span: UsagePeriod },
): Promise<Usage> {
  const { application_id: id, span } = input
  const { ownerId: owner } = await requireApplication(ctx, id)
  const { step } = usagePeriods[span]
  const steps = stepsUntil(ctx.now(), span)
  const [from = ctx.now()] = steps
  const [[found, operations, latency], keys] = await Promise.all([
    readInTurn(
      ctx,
      async (db) =>
        [
          await bySteps(db, id, from, step),
          await byOperations(db, id, from, OPERATIONS_MAX),
          await deliveryLatency(db, id, span, steps),
        ] as const,
      { owner },
    ),
    keysOf(ctx, id),
  ])
  const foundAt = new Map(found.map((one) => [one.at, one]))
  const moments = steps.map((at) => at.toISOString())
  return {
    step,
    from: from.toISOString(),
    requests: moments.map((at) => foundAt.get(at) ?? { at, ...nothing }),
    operations,
    deliveries: moments.map((at, i) => ({ at, ...(latency.steps[i] ?? latency.whole) })),
    delivery_latency: latency.whole,
    rate_limit: { limit: rateLimits.credential.points, window_s: rateLimits.credential.windowS, keys },
  }
}

const nothing: Counted = { requests: 0, errors: 0, limited: 0, mean_ms: null }

/** A key is counted under its hash, which is all that is stored of it. */
async function keysOf({ db, counters }: OwnerContext, clientId: string): Promise<Usage['rate_limit']['keys']> {
  const living = await livingKeys(db, clientId, KEYS_MAX)
  return Promise.all(
    living.map(async ({ hash, ...key }) => {
      const { remaining, resetS: reset_s } = await counters.peek(rateLimits.credential, hash)
      return { ...key, remaining, reset_s }
    }),
  )
}
