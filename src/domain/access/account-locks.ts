import { statement } from '../../db/statement.ts'
import type { ActingSession, Actor } from '../core/actor.ts'
import type { UserContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import type { InTransaction } from '../core/transaction.ts'
import { SESSION_IS_ALIVE } from './sessions.ts'

type Locking = Pick<InTransaction, 'db'>

const lock = statement<[userId: string], { id: string }>('select id from users where id = $1 for no key update')

/**
 * Makes whoever changes what an account is entered by wait for another who does, and for logins. What is read before may be
 * old by then.
 */
export async function lockUser({ db }: Locking, userId: string): Promise<void> {
  await lock(db, userId)
}

const hold = statement<[id: string], { id: string }>(
  `select s.id from login_sessions s where s.id = $1 and ${SESSION_IS_ALIVE} for key share`,
)

/**
 * Holds a login session until the transaction ends: whoever ends it, as a new password does, waits, and finds what was done by it. It
 * was admitted a while ago, and a call may wait for seconds in between: one that has ended meanwhile does nothing more. A user is
 * locked before their session, an application after it. Throws `invalid_token`.
 */
export async function holdSession({ db }: Locking, session: Pick<ActingSession, 'id'> | undefined): Promise<void> {
  if (session === undefined || (await hold(db, session.id)).length > 0) return
  throw new Problem('invalid_token', 'The session has ended. Log in again.')
}

/** The login session by which somebody acts; none of a token, and of the operator. */
export const actingSession = (principal: Actor): ActingSession | undefined =>
  principal.kind === 'user' ? principal.session : undefined

/** Locks the caller's own account, and holds the session by which they act. Throws `invalid_token`. */
export async function lockOwnAccount(tx: Locking & Pick<UserContext, 'principal'>): Promise<void> {
  await lockUser(tx, tx.principal.userId)
  await holdSession(tx, tx.principal.session)
}
