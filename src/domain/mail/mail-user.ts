import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'
import type { MailKindName, MailValues } from './kinds.ts'
import { queueMail } from './queue-mail.ts'

const findReader = statement<[id: string], { address: string | null; is_confirmed: boolean }>(
  'select email as address, email_verified_at is not null as is_confirmed from users where id = $1',
)

/** Queues a mail to the address of an account, as `queueMail` does; not to one that has none. */
export async function mailUser<Name extends MailKindName>(
  tx: InTransaction<Context>,
  kind: Name,
  userId: string,
  values: MailValues<Name>,
): Promise<boolean> {
  const [reader] = await findReader(tx.db, userId)
  if (!reader?.address) return false
  return queueMail(tx, kind, { userId, address: reader.address }, values, { isConfirmed: reader.is_confirmed })
}

const findReplaced = statement<[userId: string], { address: string }>(`
  select distinct address from mail_links where user_id = $1 and purpose = 'restore' and expires_at > statement_timestamp()`)

/**
 * The same, and to the addresses that were replaced lately and still have a way back: whoever has the account for a moment would do
 * unheard what cannot be undone.
 */
export async function mailUserWidely<Name extends MailKindName>(
  tx: InTransaction<Context>,
  kind: Name,
  userId: string,
  values: MailValues<Name>,
): Promise<void> {
  await mailUser(tx, kind, userId, values)
  for (const { address } of await findReplaced(tx.db, userId))
    await queueMail(tx, kind, { userId, address }, values, { isConfirmed: true })
}
