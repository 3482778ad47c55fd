import { eq, inArray, sql } from 'drizzle-orm'
import { webhookSecrets as secrets, webhookSubscriptions } from '../../../db/schema/index.ts'
import { actorBehind, audit } from '../../audit/audit.ts'
import type { ActorContext } from '../../core/context.ts'
import { inMs } from '../../core/db-now.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { livingSecrets, storeNewSecret } from '../secrets/secrets.ts'
import { holdReach, requireSubscription } from './ownership.ts'

export const OVERLAP_S_MAX = 7 * 24 * 3600
const OVERLAP_S = 24 * 3600
const LIVING_MAX = 3

/**
 * Gives a subscription a new signing secret at once. The old ones still sign for `overlap_s` (a day, at most seven), so a
 * receiver may verify with either. At most three are valid: the oldest end first. Throws `subscription_not_found`.
 */
export async function rotateSigningSecret(
  ctx: ActorContext,
  { id, overlap_s: overlapS = OVERLAP_S }: { id: string; overlap_s?: number | undefined },
): Promise<{ signing_secret: string }> {
  const subscription = await requireSubscription(ctx, id)
  const { clientId, userId } = subscription
  return transact(ctx, async (tx) => {
    await holdReach(tx, subscription)
    await tx.db
      .select({ id: webhookSubscriptions.id })
      .from(webhookSubscriptions)
      .where(eq(webhookSubscriptions.id, id))
      .for('update')
    const living = (await livingSecrets(tx, id)).map((secret) => secret.id)
    await expire(tx, living.slice(LIVING_MAX - 1), 0)
    await expire(tx, living.slice(0, LIVING_MAX - 1), overlapS * 1000)
    const actor = actorBehind(ctx.principal)
    await audit(tx, { actor, action: 'signing_secret.rotated', userId, clientId, targetId: id })
    return { signing_secret: await storeNewSecret(tx, id) }
  })
}

/** Never later than they would have ended anyway, by an earlier rotation. */
async function expire({ db }: InTransaction, ids: string[], ms: number) {
  if (ids.length === 0) return
  await db
    .update(secrets)
    .set({ expiresAt: sql`least(${secrets.expiresAt}, ${inMs(ms)})` })
    .where(inArray(secrets.id, ids))
}
