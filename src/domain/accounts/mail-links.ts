import { statement } from '../../db/statement.ts'
import { HOUR_MS } from '../../time/durations.ts'
import { isWellFormed, mint } from '../access/token-format.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import type { InTransaction } from '../core/transaction.ts'
import { lockUser } from '../factors/standing.ts'

export type LinkPurpose = 'verify' | 'reset'
/** Whom a living link is for, and where it was sent. */
export type MailLink = { userId: string; username: string; address: string }

export const linkLifeMs: Record<LinkPurpose, number> = { verify: 24 * HOUR_MS, reset: HOUR_MS / 2 }

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

type Found = { user_id: string; username: string; address: string }
const SELECT = `select l.user_id, u.username, l.address from mail_links l join users u on u.id = l.user_id
  where l.hash = $1 and l.purpose = $2 and l.expires_at > statement_timestamp() and u.disabled_at is null`
const selectLink = statement<[hash: Buffer, purpose: LinkPurpose], Found>(SELECT)
const deleteLink = statement<[hash: Buffer, purpose: LinkPurpose], object>(`
  delete from mail_links where hash = $1 and purpose = $2 and expires_at > statement_timestamp() returning 1`)
const deleteLinks = statement<[userId: string, purposes: string[]], never>(`
  delete from mail_links where user_id = $1 and purpose = any($2::text[])`)

/** A link that still works, without using it up: whoever opens one changes nothing. */
export async function findLink(
  { db }: Pick<Context, 'db'>,
  purpose: LinkPurpose,
  token: string,
): Promise<MailLink | undefined> {
  const [found] = isWellFormed('link', token) ? await selectLink(db, sha256(token), purpose) : []
  return found && { userId: found.user_id, username: found.username, address: found.address }
}

/** Uses a link up; undefined when it does not work, or somebody else was faster. Whoever changes the account waits meanwhile. */
export async function useLink(tx: InTransaction, purpose: LinkPurpose, token: string): Promise<MailLink | undefined> {
  const link = await findLink(tx, purpose, token)
  if (!link) return undefined
  await lockUser(tx, link.userId)
  const used = await deleteLink(tx.db, sha256(token), purpose)
  return used.length === 1 ? link : undefined
}

/** Ends links of a user that were not used. */
export async function endLinks({ db }: InTransaction, userId: string, ...purposes: LinkPurpose[]): Promise<void> {
  await deleteLinks(db, userId, purposes)
}
