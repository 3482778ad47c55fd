import { statement } from '../../db/statement.ts'
import { DAY_MS, HOUR_MS } from '../../time/durations.ts'
import { lockUser } from '../access/account-locks.ts'
import { isWellFormed, mint } from '../access/token-format.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import type { InTransaction } from '../core/transaction.ts'
import { queueMail } from '../mail/queue-mail.ts'

/** `restore` goes to a confirmed address that another one has replaced: it sets a new password and brings the address back. */
export type LinkPurpose = 'verify' | 'reset' | 'restore'
/** Whom a living link is for, and where it was sent. */
export type MailLink = { purpose: LinkPurpose; userId: string; username: string; address: string; expiresAt: string }

export const linkLifeMs: Record<LinkPurpose, number> = { verify: DAY_MS, reset: HOUR_MS / 2, restore: 7 * DAY_MS }

export const newLinkToken = (): string => mint('link')

type Row = [hash: Buffer, purpose: LinkPurpose, userId: string, address: string, lifeMs: number]
const insertLink = statement<Row, object>(`
  insert into mail_links (hash, purpose, user_id, address, expires_at)
  values ($1, $2, $3, $4, statement_timestamp() + $5::float8 * interval '1 millisecond')`)

/** Keeps a link, which is to be in a mail of the same transaction, by the hash of its token. */
export async function keepLink(
  { db }: InTransaction,
  token: string,
  { purpose, userId, address }: { purpose: LinkPurpose; userId: string; address: string },
): Promise<void> {
  await insertLink(db, sha256(token), purpose, userId, address, linkLifeMs[purpose])
}

type LinkSent = { kind: 'confirm_address' | 'reset_password'; purpose: LinkPurpose; address: string }

/** Mails a new link to an account, if the mail will be sent: what is not sent would only be one more way in. */
export async function mailLink(
  tx: InTransaction<Context & { caller?: Caller }>,
  { id: userId, username }: { id: string; username: string },
  { kind, purpose, address }: LinkSent,
): Promise<void> {
  const token = newLinkToken()
  const options = { usefulMs: linkLifeMs[purpose], askedBy: tx.caller }
  const isQueued = await queueMail(tx, kind, { userId, address }, { username, token }, options)
  if (isQueued) await keepLink(tx, token, { purpose, userId, address })
}

type Found = { purpose: LinkPurpose; user_id: string; username: string; address: string; expires_at: string }
const SELECT = `select l.purpose, l.user_id, u.username, l.address, l.expires_at::text as expires_at
  from mail_links l join users u on u.id = l.user_id
  where l.hash = $1 and l.purpose = any($2::text[]) and l.expires_at > statement_timestamp() and u.disabled_at is null
    and (l.purpose <> 'reset' or lower(l.address) = lower(u.email))`
const selectLink = statement<[hash: Buffer, purposes: readonly LinkPurpose[]], Found>(SELECT)
const deleteLink = statement<[hash: Buffer], object>(`
  delete from mail_links where hash = $1 and expires_at > statement_timestamp() returning 1`)
const deleteLinks = statement<[userId: string, purposes: string[]], never>(`
  delete from mail_links where user_id = $1 and purpose = any($2::text[])`)

/**
 * A link for one of these purposes that still works, without using it up: whoever opens one changes nothing. One by which a password is set
 * works while the account has the address that it was sent to, also where it was asked for at the moment that this changed.
 */
export async function findLink(
  { db }: Pick<Context, 'db'>,
  purposes: readonly LinkPurpose[],
  token: string,
): Promise<MailLink | undefined> {
  const [found] = isWellFormed('link', token) ? await selectLink(db, sha256(token), purposes) : []
  if (!found) return undefined
  const { purpose, user_id: userId, username, address, expires_at: expiresAt } = found
  return { purpose, userId, username, address, expiresAt }
}

/** Uses a link up; undefined when it does not work, or somebody else was faster. Whoever changes the account waits meanwhile. */
export async function useLink(
  tx: InTransaction,
  purposes: readonly LinkPurpose[],
  token: string,
): Promise<MailLink | undefined> {
  const seen = await findLink(tx, purposes, token)
  if (!seen) return undefined
  await lockUser(tx, seen.userId)
  const link = await findLink(tx, purposes, token)
  const isUsed = link !== undefined && (await deleteLink(tx.db, sha256(token))).length === 1
  return isUsed ? link : undefined
}

const selectRestore = statement<[userId: string, address: string], { address: string; expires_at: string }>(`
  select address, expires_at::text as expires_at from mail_links
   where user_id = $1 and purpose = 'restore' and lower(address) = lower($2) and expires_at > statement_timestamp()
   order by mail_links.expires_at limit 1`)

/** The living link that was sent to an address when it was replaced. */
export async function findRestore({ db }: InTransaction, userId: string, address: string) {
  const [found] = await selectRestore(db, userId, address)
  return found && { address: found.address, expiresAt: found.expires_at }
}

const deleteRestores = statement<[userId: string, address: string, expiresAt: string], never>(`
  delete from mail_links
   where user_id = $1 and purpose = 'restore' and (lower(address) = lower($2) or expires_at > $3::text::timestamptz)`)

/**
 * Ends what was sent to an address that is back, and to those that came after it: whoever took the account may have given it several.
 * What was sent to earlier ones stays.
 */
export async function endRestores(
  { db }: InTransaction,
  userId: string,
  { address, expiresAt }: Pick<MailLink, 'address' | 'expiresAt'>,
): Promise<void> {
  await deleteRestores(db, userId, address, expiresAt)
}

/** Ends links of a user that were not used. */
export async function endLinks({ db }: InTransaction, userId: string, ...purposes: LinkPurpose[]): Promise<void> {
  await deleteLinks(db, userId, purposes)
}
