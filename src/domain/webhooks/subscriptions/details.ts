import { sql } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { DISABLE_AFTER_DAYS } from '../../../shared/delivery.ts'
import type { ActorContext } from '../../core/context.ts'

import type { SubscriptionDetails } from './resources.ts'
import { urlFor } from './shown-url.ts'

const { firstFailureAt, openUntil } = subscriptions

/** The owner is warned once a day has passed without a success. */
const isWarned = sql`${subscriptions.status} = 'enabled'
  and ${firstFailureAt} <= statement_timestamp() - interval '1 day'`

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
  warning_days: sql<
    number | null
  >`case when ${isWarned} then extract(day from statement_timestamp() - ${firstFailureAt})::int end`,
  disables_at:
    sql<Date | null>`case when ${isWarned} then ${firstFailureAt} + make_interval(days => ${DISABLE_AFTER_DAYS}::int) end`.mapWith(
      firstFailureAt,
    ),
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
  disables_at: text(row.disables_at),
})

const text = (at: Date | null) => at?.toISOString() ?? null
