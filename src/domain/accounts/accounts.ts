import { violatedConstraint } from '../../db/db-error.ts'
import { users } from '../../db/schema/index.ts'
import { type AuditActor, audit } from '../audit/audit.ts'
import { isUsername } from '../channels.ts'
import type { Caller } from '../core/caller.ts'
import type { CalledContext, Context } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { askToVerify, requireEmail } from './addresses.ts'
import { hashPassword, requirePassword } from './passwords.ts'
import { isReserved } from './reserved-names.ts'
import { countTry } from './sign-up-limit.ts'

export type NewUser = { username: string; email: string; password: string }
export type User = { id: string; username: string; email: string }

type Creation = {
  /** The user, when nobody else is told. */
  by?: AuditActor
  id?: string | undefined
  /** Runs in the transaction. */
  onCreated?: (tx: InTransaction<Context>, user: User) => Promise<void>
}

/**
 * Creates a user, who is at the same time a channel of that name. The username is stored in lower case. Throws
 * `invalid_request`, which names the field, for what is malformed or taken.
 */
export async function createUser(
  ctx: Context & { caller?: Caller },
  { username, email, password }: NewUser,
  { by, id = newId('user', ctx.now()), onCreated }: Creation = {},
): Promise<User> {
  const name = requireUsername(username)
  requireEmail(email)
  requirePassword('password', password)

  const passwordHash = await hashPassword(ctx, password)
  const at = ctx.now()
  await transact(ctx, async (tx) => {
    const row = { id, username: name, email, passwordHash, createdAt: at, updatedAt: at }
    await refuseTaken(tx.db.insert(users).values(row))
    const actor = by ?? { type: 'user', id }
    await audit(tx, { actor, action: 'user.created', userId: id, targetId: id })
    await onCreated?.(tx, { id, username: name, email })
  })
  return { id, username: name, email }
}

/**
 * Creates an account for a visitor, if `SIGNUP` is open. Throws `forbidden`, `rate_limited`, and what `createUser`
 * throws.
 */
export async function signUp(ctx: CalledContext, newcomer: NewUser): Promise<User> {
  if (ctx.signup === 'closed') throw new Problem('forbidden', 'New accounts are made by the operator alone.')
  await countTry(ctx)
  if (isReserved(requireUsername(newcomer.username)))
    throw new Problem('invalid_request', 'username: is kept for the operator; choose another.')
  return createUser(ctx, newcomer, { onCreated: askToVerify })
}

/** A username in the form in which it is stored. */
function requireUsername(text: string): string {
  const name = text.toLowerCase()
  if (isUsername(name)) return name
  throw new Problem('invalid_request', 'username: must be 3 to 25 of a-z, 0-9 and "_".')
}

const taken: Record<string, string> = { users_username_unique: 'username: is taken.' }

async function refuseTaken(write: PromiseLike<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    const message = taken[violatedConstraint(error) ?? '']
    if (message === undefined) throw error
    throw new Problem('invalid_request', message, { cause: error })
  }
}
