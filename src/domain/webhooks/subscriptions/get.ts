import { and, eq, isNull } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import type { ActorContext } from '../../core/context.ts'
import { isId } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'
import { livingSecrets } from '../secrets/secrets.ts'
import { selectSubscriptionDetails, toSubscriptionDetails } from './details.ts'
import { reaches } from './ownership.ts'
import type { SecretInfo, SubscriptionDetails } from './resources.ts'

/** A subscription that the caller reaches, and its living secrets by name, never the secrets. Throws `subscription_not_found`. */
export async function getSubscription(
  ctx: ActorContext,
  { id }: { id: string },
): Promise<SubscriptionDetails & { secrets: SecretInfo[] }> {
  const [row] = isId('subscription', id)
    ? await selectSubscriptionDetails(ctx).where(
        and(eq(subscriptions.id, id), isNull(subscriptions.deletedAt), reaches(ctx)),
      )
    : []
  if (!row) throw new Problem('subscription_not_found', 'You have no subscription with this identifier.')
  const secrets = await livingSecrets(ctx, id)
  return { ...toSubscriptionDetails(row), secrets: secrets.map(toSecretInfo) }
}

const toSecretInfo = ({ id, createdAt, expiresAt }: Awaited<ReturnType<typeof livingSecrets>>[number]): SecretInfo => ({
  id,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
})
