import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { InTransaction } from '../core/transaction.ts'
import { type MailKindName, type MailValues, switchOf } from './kinds.ts'
import { mailboxOf } from './mailbox.ts'
import { MAILS_AN_HOUR, QUEUED_NOW } from './queue-mail.ts'

/** SQL: whether the user of the row `user` gets mails of a kind that can be switched off. */
export function takesNotices(user: string, kind: MailKindName): string {
  const name = switchOf(kind)
  if (name === undefined) throw new Error(`Mails of the kind "${kind}" cannot be switched off`)
  return `${user}.disabled_at is null and ${user}.email_verified_at is not null and not '${name}' = any(${user}.muted_mail)`
}

/** SQL: the mailbox of an address, as `mailboxOf` has it. */
export const mailboxSql = (address: string): string => `lower(regexp_replace(${address}, '[+].*@', '@'))`

/** SQL: how many more mails of a kind a mailbox may get within the hour. */
export const mailsLeftSql = (mailbox: string, kind: MailKindName): string => `
  (${MAILS_AN_HOUR} - (select count(*) from (select from mails where mailbox = ${mailbox} and kind = '${kind}'
     and queued_at > statement_timestamp() - interval '1 hour' limit ${MAILS_AN_HOUR}) counted))`

export type Notice<Name extends MailKindName> = { userId: string; address: string; values: MailValues<Name> }

const insertMails = statement<[rows: string], never>(`
  insert into mails (id, kind, user_id, address, mailbox, ciphertext, key_id, queued_at, due_at)
  select id, kind, user_id, address, mailbox, decode(ciphertext, 'base64'), key_id, ${QUEUED_NOW}, ${QUEUED_NOW}
    from json_to_recordset($1::text::json) as t (
      id text, kind text, user_id text, address text, mailbox text, ciphertext text, key_id text)`)

/**
 * Queues mails of a kind that can be switched off by one statement, however many there are, in the transaction that notes that
 * they were. Who gets one was chosen there, by `takesNotices` and `mailsLeftSql`.
 */
export async function queueNotices<Name extends MailKindName>(
  tx: InTransaction<Context>,
  kind: Name,
  notices: readonly Notice<Name>[],
): Promise<void> {
  if (notices.length === 0) return
  const rows = notices.map(({ userId, address, values }) => {
    const id = newId('mail', tx.now())
    const { ciphertext, keyId } = tx.keyring.seal('mail', id, JSON.stringify(values))
    const sealed = { ciphertext: ciphertext.toString('base64'), key_id: keyId }
    return { id, kind, user_id: userId, address, mailbox: mailboxOf(address), ...sealed }
  })
  await insertMails(tx.db, JSON.stringify(rows))
}
