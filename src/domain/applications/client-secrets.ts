import { and, eq, sql } from 'drizzle-orm'
import { clientSecrets } from '../../db/schema/index.ts'
import { instantText, statement } from '../../db/statement.ts'
import { requireApplication } from '../access/ownership.ts'
import { last4Of, mint } from '../access/token-format.ts'
import { actorBehind, audit } from '../audit/audit.ts'
import type { OwnerContext } from '../core/context.ts'
import { dbNow } from '../core/db-now.ts'
import { sha256 } from '../core/digest.ts'
import { newId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import type { ClientSecret } from './resources.ts'

const IS_LIVE = '(expires_at is null or expires_at > statement_timestamp())'

const listLive = statement<[clientId: string], ClientSecret>(`
  select id, last4, ${instantText('created_at')} as created_at, ${instantText('expires_at')} as expires_at
    from client_secrets where client_id = $1 and ${IS_LIVE} order by id`)

/** The secrets of an application that work now, oldest first. Throws `not_found`. */
export async function listSecrets(ctx: OwnerContext, { id }: { id: string }): Promise<ClientSecret[]> {
  await requireApplication(ctx, id)
  return listLive(ctx.db, id)
}

/** Adds a secret to an application and returns it. */
export async function addSecret(tx: InTransaction<OwnerContext>, clientId: string): Promise<string> {
  const secret = mint('secret')
  const at = tx.now()
  const id = newId('secret', at)
  await tx.db
    .insert(clientSecrets)
    .values({ id, clientId, hash: sha256(secret), last4: last4Of(secret), createdAt: at })
  await audit(tx, { actor: actorBehind(tx.principal), action: 'secret.created', clientId, targetId: id })
  return secret
}

/** The current secret is the one that does not expire; one that expires was replaced before. */
const endOldOnes = statement<[clientId: string], never>(`
  update client_secrets
     set expires_at = statement_timestamp() + case when expires_at is null then interval '24 hours' else interval '0' end
   where client_id = $1 and ${IS_LIVE}`)

/**
 * Creates a new secret. The current one works for another day, so that servers can be changed one after the other; an
 * older one stops at once. Throws `not_found`, `invalid_request` for an application that does not authenticate by
 * secret.
 */
export async function rotateSecret(ctx: OwnerContext, { id }: { id: string }): Promise<{ client_secret: string }> {
  return transact(ctx, async (tx) => {
    const { authMethod } = await requireApplication(tx, id, 'no key update')
    if (authMethod !== 'secret') throw new Problem('invalid_request', 'id: this application has no secret.')
    await endOldOnes(tx.db, id)
    return { client_secret: await addSecret(tx, id) }
  })
}

/** Stops a secret at once. Throws `not_found`. */
export async function revokeSecret(ctx: OwnerContext, { id, secret_id }: { id: string; secret_id: string }) {
  await transact(ctx, async (tx) => {
    await requireApplication(tx, id, 'no key update')
    const [ended] = await tx.db
      .update(clientSecrets)
      .set({ expiresAt: dbNow })
      .where(and(eq(clientSecrets.id, secret_id), eq(clientSecrets.clientId, id), sql.raw(IS_LIVE)))
      .returning({ id: clientSecrets.id })
    if (!ended) throw new Problem('not_found', 'secret_id: the application has no such secret.')
    await audit(tx, { actor: actorBehind(tx.principal), action: 'secret.revoked', clientId: id, targetId: secret_id })
  })
}
