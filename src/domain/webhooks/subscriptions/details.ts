import { sql } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import type { ActorContext } from '../../core/context.ts'
import { disablesAt, nextAttemptAt, warningDays } from './health.ts'
import type { SubscriptionDetails } from './resources.ts'
import { urlFor } from './shown-url.ts'

const { firstFailureAt, openUntil } = subscriptions

const TABLE = 'webhook_subscriptions'

const columns = {
  id: subscriptions.id,
  application_id: subscriptions.clientId,
  user_id: subscriptions.userId,
  event_types: subscriptions.eventTypes,
  description: subscriptions.description,
  status: subscriptions.status,
  created_at: subscriptions.createdAt,
  disabled_reason: subscriptions.disabledReason,
  disabled_at: subscriptions.disabledAt,
  failing_since: firstFailureAt,
  failed_attempts: subscriptions.failedAttempts,
  last_success_at: subscriptions.lastSuccessAt,
  resting_until: sql<Date | null>`case when ${openUntil} > statement_timestamp() then ${openUntil} end`.mapWith(
    openUntil,
  ),
  attempt_ms: subscriptions.attemptMs,
  next_attempt_at: sql<Date | null>`${sql.raw(nextAttemptAt(TABLE))}`.mapWith(openUntil),
  warning_days: sql<number | null>`${sql.raw(warningDays(TABLE))}`,
  disables_at: sql<Date | null>`${sql.raw(disablesAt(TABLE))}`.mapWith(firstFailureAt),
}

/** Selects subscriptions with their health; to be restricted by the caller. */
export const selectSubscriptionDetails = (ctx: ActorContext) =>
  ctx.slow.select({ ...columns, url: urlFor(ctx) }).from(subscriptions)

type Row = Awaited<ReturnType<typeof selectSubscriptionDetails>>[number]

export const toSubscriptionDetails = (row: Row): SubscriptionDetails => ({
  ...row,
  created_at: row.created_at.toISOString(),
  disabled_at: text(row.disabled_at),
  failing_since: text(row.failing_since),
  last_success_at: text(row.last_success_at),
  resting_until: text(row.resting_until),
  next_attempt_at: text(row.next_attempt_at),
  disables_at: text(row.disables_at),
})

const text = (at: Date | null) => at?.toISOString() ?? null
