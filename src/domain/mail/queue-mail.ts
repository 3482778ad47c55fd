import { statement } from '../../db/statement.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { placeOf } from '../core/rate-limits.ts'
import type { InTransaction } from '../core/transaction.ts'
import { type MailKindName, type MailValues, switchOf } from './kinds.ts'
import type { MailSwitch } from './mail-kind.ts'
import { mailboxOf } from './mailbox.ts'
import { mailMetrics } from './metrics.ts'

/** So many of a kind to one account, and to one address, within an hour. */
export const MAILS_AN_HOUR = 5
/** So many of them one place may ask for, where anybody may: what a stranger has asked for leaves room for what its reader asks for. */
const ASKED_AN_HOUR = 4

/** Who gets it. Without an account where somebody is invited who has none. */
export type MailRecipient = { userId: string | null; address: string }

type QueueOptions = {
  /** When its link is dead: after that nobody is sent it any more. */
  usefulMs?: number
  /** Who asked for it, where anybody may. */
  askedBy?: Caller | undefined
  /** That the account has confirmed the address: then it counts for the account alone, so that nobody else's mails leave it without. */
  isConfirmed?: boolean
}

/** Two transactions count one after the other. The keys are locked in one order, so that they do not wait for each other. */
const lockCounts = statement<[keys: string[]], object>(
  'select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest($1::text[]) key',
)

type Row = [
  id: string,
  kind: string,
  userId: string | null,
  address: string,
  mailbox: string,
  ciphertext: Buffer,
  keyId: string,
  usefulMs: number | null,
  mailSwitch: string | null,
  mailboxMax: number | null,
  userMax: number | null,
  askedFrom: string | null,
]

const lately = (who: string, max: string) => `(select count(*) from (select from mails
    where ${who} and kind = $2 and queued_at > statement_timestamp() - interval '1 hour' limit ${max}) counted) < ${max}`

/** A column would round it, and what is due half a millisecond later is not due yet. */
export const QUEUED_NOW = `date_trunc('milliseconds', statement_timestamp())`

const insertMail = statement<Row, object>(`
  insert into mails (id, kind, user_id, address, mailbox, ciphertext, key_id, queued_at, due_at, useless_at, asked_from)
  select $1, $2, $3, $4, $5, $6, $7, ${QUEUED_NOW}, ${QUEUED_NOW},
         statement_timestamp() + $8::float8 * interval '1 millisecond', $12
   where ($10::int is null or ${lately('mailbox = $5', '$10::int')}) and ($3::text is null or $11::int is null or ${lately('user_id = $3', '$11::int')})
     and ($12::text is null or ${lately('mailbox = $5 and asked_from = $12', `${ASKED_AN_HOUR}`)})
     and ($9::text is null or exists (
       select from users where id = $3 and email_verified_at is not null and not $9 = any(muted_mail)))
  returning 1`)

/** What others cause never counts for the account, and what it is told at an address of its own never for the mailbox. */
function limitsOf({ askedBy, isConfirmed }: QueueOptions): [mailboxMax: number | null, userMax: number | null] {
  if (askedBy) return [MAILS_AN_HOUR, null]
  return [isConfirmed ? null : MAILS_AN_HOUR, MAILS_AN_HOUR]
}

/**
 * Queues a mail in the transaction of its cause; the worker sends it after that. Resolves to whether it will be sent: not when
 * the account or the address has had five of the kind within the hour (of what anybody may ask for four by one place), nor when the user has switched the kind off. Whoever
 * asked must not learn that from the answer.
 */
export async function queueMail<Name extends MailKindName>(
  tx: InTransaction<Context>,
  kind: Name,
  { userId, address }: MailRecipient,
  values: MailValues<Name>,
  options: QueueOptions = {},
): Promise<boolean> {
  const id = newId('mail', tx.now())
  const mailbox = mailboxOf(address)
  const { ciphertext, keyId } = tx.keyring.seal('mail', id, JSON.stringify(values))
  const mailSwitch: MailSwitch | null = switchOf(kind) ?? null
  await lockCounts(tx.db, [`mail ${kind} ${mailbox}`, ...(userId === null ? [] : [`mail ${kind} ${userId}`])].sort())
  const { usefulMs, askedBy } = options
  const limits = limitsOf(options)
  const askedFrom = askedBy ? placeOf(askedBy.address) : null
  const row: Row = [
    id,
    kind,
    userId,
    address,
    mailbox,
    ciphertext,
    keyId,
    usefulMs ?? null,
    mailSwitch,
    ...limits,
    askedFrom,
  ]
  const isQueued = (await insertMail(tx.db, ...row)).length === 1
  if (!isQueued) tx.afterCommit(() => mailMetrics.suppressed++)
  return isQueued
}
