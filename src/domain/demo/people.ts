import { randomBytes } from 'node:crypto'
import { and, eq, isNotNull, isNull, or } from 'drizzle-orm'
import { users } from '../../db/schema/index.ts'
import { examples } from '../../shared/examples.ts'
import { createUser } from '../accounts/accounts.ts'
import { hashPassword, isPassword } from '../accounts/passwords.ts'
import { returnApplications } from '../applications/owner-leaves.ts'
import { audit } from '../audit/audit.ts'
import type { Context, UserContext } from '../core/context.ts'
import { scopes } from '../core/scopes.ts'
import { transact } from '../core/transaction.ts'
import type { DemoName } from './credentials.ts'
import { freeId } from './free-id.ts'

export type DemoPerson = { id: string; username: string; password: string }

const exampleIds = { streamer: examples.userId, viewer: examples.viewerId, outsider: examples.outsiderId }

/** Marks the accounts that belong to the demonstration. No mail reaches this domain (RFC 2606). */
const emailOf = (username: string) => `${username}@demo.example`

/**
 * An account of the demonstration, with a working password: the given one while it works, otherwise a new one. Throws
 * when the username belongs to somebody else, whose password must not be changed.
 */
export async function preparePerson(ctx: Context, name: DemoName, password?: string): Promise<DemoPerson> {
  const [found] = await ctx.db
    .select({ id: users.id, email: users.email, hash: users.passwordHash, erasedAt: users.erasedAt })
    .from(users)
    .where(eq(users.username, name))
  if (!found) return createPerson(ctx, name, exampleIds[name])
  if (found.erasedAt === null && found.email !== emailOf(name)) {
    throw new Error(`DEMO_DATA needs the username "${name}", which belongs to somebody else: set DEMO_DATA=off`)
  }
  await restoreClosed(ctx, found.id, emailOf(name))
  await confirmAddress(ctx, found.id)
  if (password !== undefined && (await isPassword({}, password, found.hash))) {
    return { id: found.id, username: name, password }
  }
  return { id: found.id, username: name, password: await resetPassword(ctx, found.id) }
}

/** Whoever tries out how an account is deleted finds the demonstration whole again at the next start. */
async function restoreClosed(ctx: Context, id: string, email: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const isClosed = and(eq(users.id, id), or(isNotNull(users.eraseAt), isNotNull(users.erasedAt)))
    const open = { email, disabledAt: null, eraseAt: null, erasedAt: null }
    const restored = await tx.db.update(users).set(open).where(isClosed).returning({ id: users.id })
    if (restored.length === 0) return
    await returnApplications(tx, id)
    await audit(tx, { actor: { type: 'system' }, action: 'user.reopened', userId: id, targetId: id })
  })
}

/** Creates an account of the demonstration, with this identifier where it is free. */
export async function createPerson(ctx: Context, username: string, wanted?: string): Promise<DemoPerson> {
  const password = newPassword()
  const person = { username, email: emailOf(username), password }
  const { id } = await createUser(ctx, person, { by: { type: 'system' }, id: await freeId(ctx, users, wanted) })
  await confirmAddress(ctx, id)
  return { id, username, password }
}

/** Nobody can: no mail reaches it. */
async function confirmAddress({ db, now }: Context, id: string): Promise<void> {
  const isUnconfirmed = and(eq(users.id, id), isNull(users.emailVerifiedAt))
  await db.update(users).set({ emailVerifiedAt: now() }).where(isUnconfirmed)
}

async function resetPassword({ db }: Context, id: string): Promise<string> {
  const password = newPassword()
  await db
    .update(users)
    .set({ passwordHash: await hashPassword({}, password) })
    .where(eq(users.id, id))
  return password
}

const newPassword = () => randomBytes(12).toString('base64url')

/** A context that acts as this user, as if they were logged in. */
export function actingAs(ctx: Context, { id, username }: { id: string; username: string }): UserContext {
  return { ...ctx, principal: { kind: 'user', userId: id, username, clientId: null, scopes } }
}
