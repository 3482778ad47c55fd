import { statement } from '../../db/statement.ts'
import { type AuditActor, type AuditEntry, auditAll } from '../audit/audit.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'

type Ended = { id: string; client_id: string; hash: Buffer }
const ending = (sql: string) => statement<[clientIds: string[]], Ended>(sql)

/** Each statement ends a kind, and the log says so by this action; tokens have no entry of their own. */
const endings: [action: AuditEntry['action'] | undefined, end: ReturnType<typeof ending>][] = [
  [
    'key.revoked',
    ending(`update api_keys set revoked_at = statement_timestamp()
     where revoked_at is null and client_id = any($1::text[]) returning id, client_id, hash`),
  ],
  [
    'secret.revoked',
    ending(`update client_secrets set expires_at = statement_timestamp()
     where (expires_at is null or expires_at > statement_timestamp()) and client_id = any($1::text[]) returning id, client_id, hash`),
  ],
  [
    undefined,
    ending(`update access_tokens set revoked_at = statement_timestamp()
     where user_id is null and revoked_at is null and expires_at > statement_timestamp() and client_id = any($1::text[])
    returning '' as id, client_id, hash`),
  ],
]

type Whose = { clientIds: string[]; userId: string; actor: AuditActor }

/** Ends the keys and client secrets of a user's applications and the tokens that stand for these, and with them the streams that they opened. */
export async function endApplicationCredentials(
  tx: InTransaction<Context>,
  { clientIds, userId, actor }: Whose,
): Promise<void> {
  for (const [action, end] of endings) {
    const ended = await end(tx.db, clientIds)
    const entryOf = ({ id, client_id: clientId }: Ended) => ({ actor, userId, clientId, targetId: id })
    if (action)
      await auditAll(
        tx,
        ended.map((one) => ({ ...entryOf(one), action })),
      )
    for (const { hash } of ended) tx.afterCommit(() => tx.credentials.end(hash.toString('base64')))
  }
}
