import { violatedConstraint } from '../../db/db-error.ts'
import { statement } from '../../db/statement.ts'
import { lockOwnAccount } from '../access/account-locks.ts'
import { audit, auditAll } from '../audit/audit.ts'
import type { Caller } from '../core/caller.ts'
import type { CalledContext, Context, UserContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { isEmailAddress } from '../mail/address.ts'
import { changeFacts } from '../mail/change-facts.ts'
import { mailUser } from '../mail/mail-user.ts'
import { queueMail } from '../mail/queue-mail.ts'
import { getAccount } from './account.ts'
import {
  endLinks,
  endRestores,
  findRestore,
  keepLink,
  linkLifeMs,
  type MailLink,
  mailLink,
  newLinkToken,
  useLink,
} from './mail-links.ts'
import { countOwnChange, type PasswordContext, requireOwnPassword } from './own-password.ts'
import type { Account } from './resources.ts'
import { countTry } from './sign-up-limit.ts'

/** Throws `invalid_request` for what cannot be an address. */
export function requireEmail(email: string): void {
  if (!isEmailAddress(email)) throw new Problem('invalid_request', 'email: is not an email address.')
}

type Claim = { id: string; username: string; email: string }

const verifiedHolder = statement<[address: string], { id: string; username: string }>(`
  select id, username from users where lower(email) = lower($1) and email_verified_at is not null`)

/**
 * Sends the link that confirms an address. Where somebody else has confirmed it already, that account is told instead, and the claim
 * waits for a link that nobody has: whoever asks sees no difference, and one mail goes to the same mailbox.
 */
export async function askToVerify(
  tx: InTransaction<Context & { caller?: Caller }>,
  { id, username, email }: Claim,
): Promise<void> {
  const [holder] = await verifiedHolder(tx.db, email)
  if (holder && holder.id !== id) {
    const values = { username: holder.username, claimant: username }
    const isTold = await queueMail(tx, 'address_claimed', { userId: holder.id, address: email }, values, {
      askedBy: tx.caller,
    })
    if (isTold) await keepLink(tx, newLinkToken(), { purpose: 'verify', userId: id, address: email })
    return
  }
  await mailLink(tx, { id, username }, { kind: 'confirm_address', purpose: 'verify', address: email })
}

type Current = {
  username: string
  email: string | null
  is_verified: boolean
  is_established: boolean
  is_protected: boolean
}
const currentAddress = statement<[id: string, established: Date], Current>(`
  select username, email, email_verified_at is not null as is_verified,
         coalesce(email_verified_at <= $2::timestamptz, false) as is_established,
         coalesce(protected_since <= $2::timestamptz, false) as is_protected
    from users where id = $1`)
const setUnverified = statement<[id: string, email: string, at: Date], never>(`
  update users set email = $2, email_verified_at = null, updated_at = $3::timestamptz where id = $1`)

/**
 * Claims another address. A confirmed one is told, and stays until the new one is confirmed by the link that goes there; one that was
 * not is replaced at once, and is told nothing: it may be a stranger's. Needs the password, so that a session left open is not enough to
 * take over the account.
 */
export async function changeEmail(ctx: PasswordContext, change: { email: string; password: string }): Promise<Account> {
  requireEmail(change.email)
  await requireOwnPassword(ctx, 'password', change.password)
  await countTry(ctx)
  await countOwnChange(ctx)
  return transact(ctx, async (tx) => {
    const { userId, username } = tx.principal
    await lockOwnAccount(tx)
    const [now] = await currentAddress(tx.db, userId, establishedBefore(tx))
    await endLinks(tx, userId, 'verify', 'reset')
    if (now?.is_verified)
      await mailUser(tx, 'address_changed', userId, { ...changeFacts(tx, username), address: change.email })
    else await setUnverified(tx.db, userId, change.email, tx.now())
    await askToVerify(tx, { id: userId, username, email: change.email })
    await audit(tx, { actor: { type: 'user', id: userId }, action: 'user.email_changed', userId, targetId: userId })
    return getAccount(tx)
  })
}

/** Sends the link again to the address that waits to be confirmed. Throws `invalid_request` when none does. */
export async function resendVerification(ctx: PasswordContext): Promise<void> {
  await requireWaitingAddress(ctx)
  await countTry(ctx)
  await transact(ctx, async (tx) => {
    await lockOwnAccount(tx)
    const { userId: id, username } = tx.principal
    await askToVerify(tx, { id, username, email: await requireWaitingAddress(tx) })
  })
}

async function requireWaitingAddress(ctx: UserContext): Promise<string> {
  const { email, email_verified, pending_email } = await getAccount(ctx)
  const address = pending_email ?? (email_verified ? null : email)
  if (address !== null) return address
  throw new Problem('invalid_request', 'There is no address that waits to be confirmed.')
}

/** One that is confirmed once more is as established as it was. */
const setVerified = statement<[id: string, email: string, verifiedAt: Date, at: Date], never>(`
  update users set email = $2, updated_at = $4::timestamptz, email_verified_at = case
    when lower(email) = lower($2) then least(email_verified_at, $3::timestamptz) else $3::timestamptz end
   where id = $1`)
const dropClaims = statement<[id: string, email: string], { id: string }>(`
  update users set email = null where lower(email) = lower($2) and email_verified_at is null and id <> $1 returning id`)
const dropLinks = statement<[id: string, email: string], { id: string }>(`
  delete from mail_links where lower(address) = lower($2) and user_id <> $1 and purpose <> 'restore' returning user_id as id`)

/**
 * Confirms an address by the link that was sent to it. Whoever else had claimed it loses the claim, and is told by the log of the
 * account and, where there is another address, by mail. Throws `invalid_request` for a link that does not work.
 */
export async function verifyAddress(ctx: CalledContext, token: string): Promise<{ username: string; address: string }> {
  try {
    return await transact(ctx, async (tx) => {
      const link = await useLink(tx, ['verify'], token)
      if (!link) throw new Problem('invalid_request', DEAD)
      await confirm(tx, link.userId, link.address)
      return link
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'users_verified_email') throw error
    throw new Problem('invalid_request', 'Another account has confirmed this address.', { cause: error })
  }
}

const DEAD = 'This link does not work any more: it was used, has ended, or a newer address replaced it.'

/** Makes an address the confirmed one of an account, in the transaction of what proves it. */
async function confirm(tx: InTransaction<Context>, userId: string, address: string, by?: 'operator'): Promise<void> {
  const [before] = await currentAddress(tx.db, userId, establishedBefore(tx))
  const isReplaced = before?.email?.toLowerCase() !== address.toLowerCase()
  if (isReplaced) await endLinks(tx, userId, 'reset')
  const returned = await findRestore(tx, userId, address)
  if (returned) return settleAgain(tx, userId, returned, by)
  if (before && isReplaced) await offerRestore(tx, userId, { ...before, next: address })
  await settle(tx, userId, address, { by })
}

/** An address that was confirmed after this is not established yet: it may be that of whoever has just taken the account. */
const establishedBefore = ({ now }: Pick<Context, 'now'>): Date => new Date(now().getTime() - linkLifeMs.restore)

type Replaced = Current & { next: string }

/**
 * A way back for whoever has the replaced address, if it was theirs for seven days: by the link they set a new password, and have the
 * address again. Where a second factor is as old, it was shown for the change, and whoever reads the old mails gets nothing by them.
 */
async function offerRestore(tx: InTransaction<Context>, userId: string, replaced: Replaced): Promise<void> {
  const { username, email, next } = replaced
  if (email === null || !replaced.is_established || replaced.is_protected) return
  const token = newLinkToken()
  const values = { ...changeFacts(tx, username), address: next, token }
  const to = { userId, address: email }
  const isQueued = await queueMail(tx, 'address_replaced', to, values, {
    usefulMs: linkLifeMs.restore,
    isConfirmed: true,
  })
  if (isQueued) await keepLink(tx, token, { purpose: 'restore', userId, address: email })
}

/**
 * Makes the address of a `restore` link the confirmed one again, in the transaction in which its reader sets a new password. Throws
 * `invalid_request` where another account has it meanwhile.
 */
export async function restoreAddress(tx: InTransaction<Context>, link: MailLink): Promise<void> {
  const [holder] = await verifiedHolder(tx.db, link.address)
  if (holder && holder.id !== link.userId)
    throw new Problem('invalid_request', 'Another account has confirmed this address.')
  const [displaced] = await currentAddress(tx.db, link.userId, establishedBefore(tx))
  if (displaced?.email) {
    const values = { ...changeFacts(tx, link.username), address: link.address }
    await queueMail(tx, 'address_restored', { userId: link.userId, address: displaced.email }, values)
  }
  await settleAgain(tx, link.userId, link)
}

type Settled = { by?: 'operator' | undefined; at?: Date }

/** An address that is back is as established as it was; what was sent to those that came after it is dead. */
async function settleAgain(
  tx: InTransaction<Context>,
  userId: string,
  link: Pick<MailLink, 'address' | 'expiresAt'>,
  by?: 'operator',
): Promise<void> {
  await endRestores(tx, userId, link)
  await settle(tx, userId, link.address, { by, at: establishedBefore(tx) })
}

async function settle(
  tx: InTransaction<Context>,
  userId: string,
  address: string,
  { by, at = tx.now() }: Settled,
): Promise<void> {
  await setVerified(tx.db, userId, address, at, tx.now())
  await endLinks(tx, userId, 'verify')
  const claims = await dropClaims(tx.db, userId, address)
  const links = await dropLinks(tx.db, userId, address)
  const losers = [...new Set([...claims, ...links].map(({ id }) => id))].sort()
  const actor = by ? ({ type: 'operator' } as const) : ({ type: 'user', id: userId } as const)
  await audit(tx, { actor, action: 'user.email_verified', userId, targetId: userId })
  const lost = losers.map(
    (id) => ({ actor: { type: 'system' }, action: 'user.email_lost', userId: id, targetId: id }) as const,
  )
  await auditAll(tx, lost)
  for (const id of losers.slice(0, TOLD_MAX)) await mailUser(tx, 'address_lost', id, { address })
}

/** More than that have a claim only where somebody makes accounts by a script. */
const TOLD_MAX = 100

const findOpen = statement<[username: string], { id: string; email: string | null }>(`
  select id, email from users where username = lower($1)`)

/** For the operator, who knows by other means whose an address is. Throws `user_not_found`, `invalid_request`. */
export async function verifyAddressOf(ctx: Context, name: string): Promise<{ id: string; email: string }> {
  const [found] = await findOpen(ctx.db, name)
  if (!found) throw new Problem('user_not_found', `There is no account "${name}".`)
  const { id, email } = found
  if (email === null) throw new Problem('invalid_request', 'This account has no address.')
  const [holder] = await verifiedHolder(ctx.db, email)
  if (holder && holder.id !== id) throw new Problem('invalid_request', `${holder.username} has confirmed this address.`)
  await transact(ctx, (tx) => confirm(tx, id, email, 'operator'))
  return { id, email }
}
