import { statement } from '../../db/statement.ts'
import { auditAll } from '../audit/audit.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'

/** What a new password leaves alone: a key or a client secret of an application that the user owns. */
export type OwnedCredential = { kind: 'key' | 'secret'; id: string; application: string; last4: string }

const SHOWN_MAX = 50

const selectLiving = statement<[ownerId: string, limit: number], OwnedCredential>(`
  select * from (
    select 'key' as kind, k.id, c.name as application, k.last4 from clients c join api_keys k on k.client_id = c.id
     where c.owner_id = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > statement_timestamp())
    union all
    select 'secret', s.id, c.name, s.last4 from clients c join client_secrets s on s.client_id = c.id
     where c.owner_id = $1 and (s.expires_at is null or s.expires_at > statement_timestamp())) living
   order by application, kind, id limit $2::int`)

/** The living keys and client secrets of a user's own applications; the first fifty, and whether there are more. */
export async function listOwnedCredentials({ db }: Pick<Context, 'db'>, ownerId: string) {
  const found = await selectLiving(db, ownerId, SHOWN_MAX + 1)
  return { credentials: found.slice(0, SHOWN_MAX), hasMore: found.length > SHOWN_MAX }
}

type Ended = { id: string; client_id: string; hash: Buffer }

const endKeys = statement<[ownerId: string], Ended>(`
  update api_keys set revoked_at = statement_timestamp()
   where revoked_at is null and client_id in (select id from clients where owner_id = $1) returning id, client_id, hash`)
const endSecrets = statement<[ownerId: string], Ended>(`
  update client_secrets set expires_at = statement_timestamp()
   where (expires_at is null or expires_at > statement_timestamp())
     and client_id in (select id from clients where owner_id = $1) returning id, client_id, hash`)

/** Ends all of them at once. */
export async function endCredentialsOf(tx: InTransaction<Context>, ownerId: string): Promise<void> {
  const keys = await endKeys(tx.db, ownerId)
  const secrets = await endSecrets(tx.db, ownerId)
  const entry = ({ id, client_id: clientId }: Ended, action: 'key.revoked' | 'secret.revoked') =>
    ({ actor: { type: 'user', id: ownerId }, action, userId: ownerId, clientId, targetId: id }) as const
  await auditAll(tx, [
    ...keys.map((one) => entry(one, 'key.revoked')),
    ...secrets.map((one) => entry(one, 'secret.revoked')),
  ])
  for (const { hash } of keys) tx.afterCommit(() => tx.credentials.end(hash.toString('base64')))
}
