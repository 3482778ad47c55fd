import { statement } from '../../db/statement.ts'
import type { AuthenticationMethod } from '../../shared/authentication-methods.ts'
import { endPendingLogin, type PendingLogin, startPendingLogin } from '../access/pending-logins.ts'
import { endSession, startSession } from '../access/sessions.ts'
import type { CalledContext } from '../core/context.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { hasFactor } from '../factors/standing.ts'
import { tellOfNewDevice } from './known-devices.ts'

/** What a right password leads to: a session, or the question for the second factor. Each is the secret of a cookie. */
export type Entry = { session: string } | { pending: string }

/** Waits for whoever changes how the account is entered, and is waited for. What it depends on is read after it. */
const lockEntered = statement<[userId: string, passwordHash: string | null], { id: string }>(`
  select id from users
   where id = $1 and disabled_at is null and password_hash is not distinct from $2 for share`)

/**
 * Lets somebody in whose password was right, if it still is and the account has no second factor; undefined when it was changed
 * or closed meanwhile.
 */
export async function enterByPassword(
  ctx: CalledContext,
  user: { id: string; passwordHash: string | null },
): Promise<Entry | undefined> {
  return transact(ctx, async (tx) => {
    const [standing] = await lockEntered(tx.db, user.id, user.passwordHash)
    if (!standing) return undefined
    if (await hasFactor(tx, user.id)) return { pending: await startPendingLogin(tx, user.id) }
    return { session: await enter(tx, user.id, ['pwd']) }
  })
}

/**
 * Makes a session of a login whose second factor was right; undefined when it has ended meanwhile, as it does by a new
 * password. After `holdAccount`.
 */
export async function finishLogin(
  tx: InTransaction<CalledContext>,
  login: PendingLogin,
  method: AuthenticationMethod,
): Promise<string | undefined> {
  if (!(await endPendingLogin(tx, login))) return undefined
  return enter(tx, login.userId, ['pwd', method])
}

const lockOpen = statement<[userId: string], { id: string }>(`
  select id from users where id = $1 and disabled_at is null for share`)

/**
 * The first thing in a transaction that lets somebody in by what it takes after it: without waiting for whoever changes the
 * password, a session could begin that this change does not see, and does not end. False when the account is closed.
 */
export async function holdAccount({ db }: InTransaction, userId: string): Promise<boolean> {
  return (await lockOpen(db, userId)).length === 1
}

/** Lets somebody in by a passkey, which stands for password and second factor. After `holdAccount`. */
export const enterByPasskey = (tx: InTransaction<CalledContext>, userId: string): Promise<string> =>
  enter(tx, userId, ['hwk'])

/** Lets somebody in who has just made the account, with a password. */
export const enterAsNewcomer = (tx: InTransaction<CalledContext>, userId: string): Promise<string> =>
  startInstead(tx, userId, ['pwd'])

/** Starts a session for somebody who had the account before, and tells of it where the browser is new. */
async function enter(
  tx: InTransaction<CalledContext>,
  userId: string,
  amr: readonly AuthenticationMethod[],
): Promise<string> {
  const session = await startInstead(tx, userId, amr)
  await tellOfNewDevice(tx, userId)
  return session
}

/** Starts a session in place of the one that the caller had. */
async function startInstead(
  tx: InTransaction<CalledContext>,
  userId: string,
  amr: readonly AuthenticationMethod[],
): Promise<string> {
  if (tx.caller.session !== undefined) await endSession(tx, tx.caller.session)
  return startSession(tx, userId, amr)
}
