import { grants } from '../../../db/schema/index.ts'
import { DAY_MS } from '../../../time/durations.ts'
import { actorBehind, audit } from '../../audit/audit.ts'
import type { UserContext } from '../../core/context.ts'
import { inMs } from '../../core/db-now.ts'
import { newId } from '../../core/ids.ts'
import type { Scope } from '../../core/scopes.ts'
import type { InTransaction } from '../../core/transaction.ts'
import { isModerationType } from '../../events/types.ts'
import { moderationScopes } from './event-types.ts'
import { isCovered } from './grant-coverage.ts'

type Heard = { id: string; clientId: string; eventTypes: readonly string[]; registered: readonly Scope[] }

/**
 * What a person asks for who has an application hear their own channel is their consent: a grant without a token, which they see and
 * take back like any other. It is for no more than these events need, because whoever is allowed something is not asked for it again.
 */
export async function allowIfNeeded(tx: InTransaction<UserContext>, { id, clientId, ...heard }: Heard): Promise<void> {
  if (await isCovered(tx, id)) return
  const { userId } = tx.principal
  const scopes = scopesFor(heard)
  const granted = { id: newId('grant', tx.now()), clientId, userId, scopes }
  await tx.db.insert(grants).values({ ...granted, createdAt: tx.now(), expiresAt: inMs(365 * DAY_MS) })
  const actor = actorBehind(tx.principal)
  await audit(tx, { actor, action: 'grant.allowed', userId, clientId, targetId: granted.id, details: { scopes } })
}

/** To hear of moderation is to read it; only an application that is registered for nothing less gets more. */
function scopesFor({ eventTypes, registered }: Pick<Heard, 'eventTypes' | 'registered'>): Scope[] {
  if (!eventTypes.some(isModerationType)) return ['webhook:write']
  return ['webhook:write', ...moderationScopes.filter((scope) => registered.includes(scope)).slice(0, 1)]
}
