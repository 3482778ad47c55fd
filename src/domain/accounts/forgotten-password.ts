import { setTimeout as after } from 'node:timers/promises'
import { statement } from '../../db/statement.ts'
import type { CalledContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { countAllOrRefuse, countsByAddress, rateLimits } from '../core/rate-limits.ts'
import { transact } from '../core/transaction.ts'
import { restoreAddress } from './addresses.ts'
import { findLink, type MailLink, mailLink, useLink } from './mail-links.ts'
import { setPassword } from './new-password.ts'
import { endCredentialsOf } from './owned-credentials.ts'
import { hashPassword, requirePassword } from './passwords.ts'

/** Longer than what is done for an account takes, so that the answer does not tell whether there is one. */
const ANSWER_MS = 300
const CLAIMS_MAX = 5

type Asked = { id: string; username: string; address: string }

/** Of an address the account that has confirmed it, or else whoever claims it: the mail goes to nobody but its reader. */
const findAsked = statement<[asked: string, limit: number], Asked>(`
  with found as (
    select id, username, email as address, email_verified_at is not null as is_verified from users
     where (username = lower($1) or lower(email) = lower($1)) and email is not null and disabled_at is null
     order by email_verified_at nulls last limit $2::int)
  select id, username, address from found
   where is_verified or username = lower($1) or not exists (select from found where is_verified)`)

/**
 * Sends a link to set a new password to whoever has this name or address. Says the same, after the same time, whether there is
 * somebody: what is done for them is not waited for. Throws `rate_limited`, by the caller's network alone.
 */
export async function requestReset(ctx: CalledContext, asked: string): Promise<void> {
  const counts = countsByAddress(rateLimits.forgottenPassword, ctx.caller.address)
  await countAllOrRefuse(ctx, counts, 'Too many requests from here. Try again later.')

  const answered = after(ANSWER_MS)
  const found = await findAsked(ctx.db, asked, CLAIMS_MAX)
  void sendLinks(ctx, found)
  await answered
}

async function sendLinks(ctx: CalledContext, found: readonly Asked[]): Promise<void> {
  try {
    for (const user of found)
      await transact(ctx, (tx) =>
        mailLink(tx, user, { kind: 'reset_password', purpose: 'reset', address: user.address }),
      )
  } catch (error) {
    ctx.log.error({ err: error }, 'A link to set a new password could not be sent')
  }
}

/**
 * Sets a new password by a link, which is used up by that alone: a password that is refused leaves it. Ends every session and
 * grant, and with `endsCredentials` also what `listOwnedCredentials` lists, which otherwise lives on. A link that was sent to a
 * replaced address brings that address back. Throws `invalid_request`.
 */
export async function resetPassword(
  ctx: CalledContext,
  { token, password, endsCredentials }: { token: string; password: string; endsCredentials: boolean },
): Promise<void> {
  requirePassword('password', password)
  if (!(await findResetLink(ctx, token))) throw deadLink()
  const passwordHash = await hashPassword(ctx, password)
  await transact(ctx, async (tx) => {
    const link = await useLink(tx, ['reset', 'restore'], token)
    if (!link) throw deadLink()
    const { userId: id, username } = link
    if (link.purpose === 'restore') await restoreAddress(tx, link)
    await setPassword(tx, { id, username }, passwordHash, { type: 'user', id })
    if (endsCredentials) await endCredentialsOf(tx, { id, username })
  })
}

/** The living link by which a password can be set. It is looked for before anything costly is done for whoever shows one. */
export const findResetLink = (ctx: Pick<CalledContext, 'db'>, token: string): Promise<MailLink | undefined> =>
  findLink(ctx, ['reset', 'restore'], token)

const deadLink = () => new Problem('invalid_request', 'This link does not work any more. Ask for a new one.')
