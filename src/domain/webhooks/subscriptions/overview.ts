import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import { clients, webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { isId } from '../../core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../../core/paging.ts'
import { Problem } from '../../core/problem.ts'
import { DISABLE_AFTER_DAYS } from '../queue/circuit-breaker.ts'
import { livingSecrets } from '../secrets/secrets.ts'
import { isOwnedSubscription, type SubscriptionOwnerContext } from './ownership.ts'
import type { SecretInfo, Webhook } from './resources.ts'

const LIST = 'webhooks'

const isWarned = sql`${subscriptions.status} = 'enabled'
  and ${subscriptions.firstFailureAt} <= statement_timestamp() - interval '1 day'`

const columns = {
  id: subscriptions.id,
  application_id: subscriptions.clientId,
  user_id: subscriptions.userId,
  url: subscriptions.url,
  event_types: subscriptions.eventTypes,
  description: subscriptions.description,
  status: subscriptions.status,
  created_at: subscriptions.createdAt,
  disabled_reason: subscriptions.disabledReason,
  disabled_at: subscriptions.disabledAt,
  failing_since: subscriptions.firstFailureAt,
  failed_attempts: subscriptions.failedAttempts,
  last_success_at: subscriptions.lastSuccessAt,
  resting_until:
    sql<Date | null>`case when ${subscriptions.openUntil} > statement_timestamp() then ${subscriptions.openUntil} end`.mapWith(
      subscriptions.openUntil,
    ),
  warning_days: sql<
    number | null
  >`case when ${isWarned} then extract(day from statement_timestamp() - ${subscriptions.firstFailureAt})::int end`,
  disables_at:
    sql<Date | null>`case when ${isWarned} then ${subscriptions.firstFailureAt} + make_interval(days => ${DISABLE_AFTER_DAYS}::int) end`.mapWith(
      subscriptions.firstFailureAt,
    ),
}

type WebhookFilter = PageRequest & { application_id?: string | undefined }

/** The subscriptions of the caller's applications, or of one of them, oldest first. */
export async function listWebhooks(ctx: SubscriptionOwnerContext, filter: WebhookFilter): Promise<Page<Webhook>> {
  const { limit, cursor, application_id: clientId } = filter
  const [after = ''] = decodeCursor(ctx, LIST, cursor) ?? []
  const isOfClient = clientId === undefined ? undefined : eq(subscriptions.clientId, clientId)
  const rows = await select(ctx)
    .where(and(gt(subscriptions.id, after), isNull(subscriptions.deletedAt), isOfClient, isOwnedSubscription(ctx)))
    .orderBy(asc(subscriptions.id))
    .limit(limit + 1)
  return toPage(ctx, LIST, rows.map(shown), limit, ({ id }) => [id])
}

/** One subscription with its living secrets, which are named and not shown. Throws `subscription_not_found`. */
export async function getWebhook(
  ctx: SubscriptionOwnerContext,
  { id }: { id: string },
): Promise<Webhook & { secrets: SecretInfo[] }> {
  const [row] = isId('subscription', id)
    ? await select(ctx).where(and(eq(subscriptions.id, id), isNull(subscriptions.deletedAt), isOwnedSubscription(ctx)))
    : []
  if (!row) throw new Problem('subscription_not_found', 'You have no subscription with this identifier.')
  return { ...shown(row), secrets: await namedSecrets(ctx, id) }
}

const select = ({ slow }: SubscriptionOwnerContext) =>
  slow.select(columns).from(subscriptions).innerJoin(clients, eq(clients.id, subscriptions.clientId))

type Row = Awaited<ReturnType<typeof select>>[number]

const shown = (row: Row): Webhook => ({
  ...row,
  created_at: row.created_at.toISOString(),
  disabled_at: text(row.disabled_at),
  failing_since: text(row.failing_since),
  last_success_at: text(row.last_success_at),
  resting_until: text(row.resting_until),
  disables_at: text(row.disables_at),
})

const text = (at: Date | null) => at?.toISOString() ?? null

async function namedSecrets(ctx: SubscriptionOwnerContext, subscriptionId: string): Promise<SecretInfo[]> {
  const living = await livingSecrets(ctx, subscriptionId)
  return living.map(({ id, createdAt, expiresAt }) => ({
    id,
    created_at: createdAt.toISOString(),
    expires_at: text(expiresAt),
  }))
}
