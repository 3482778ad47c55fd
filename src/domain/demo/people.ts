import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { users } from '../../db/schema/index.ts'
import { examples } from '../../shared/examples.ts'
import { createUser } from '../accounts/accounts.ts'
import { hashPassword, isPassword } from '../accounts/passwords.ts'
import type { Context, UserContext } from '../core/context.ts'
import { scopes } from '../core/scopes.ts'
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
    .select({ id: users.id, email: users.email, hash: users.passwordHash })
    .from(users)
    .where(eq(users.username, name))
  if (!found) return createPerson(ctx, name, exampleIds[name])
  if (found.email !== emailOf(name)) {
    throw new Error(`DEMO_DATA needs the username "${name}", which belongs to somebody else: set DEMO_DATA=off`)
  }
  if (password !== undefined && (await isPassword(password, found.hash))) {
    return { id: found.id, username: name, password }
  }
  return { id: found.id, username: name, password: await resetPassword(ctx, found.id) }
}

/** Creates an account of the demonstration, with this identifier where it is free. */
export async function createPerson(ctx: Context, username: string, wanted?: string): Promise<DemoPerson> {
  const password = newPassword()
  const person = { username, email: emailOf(username), password }
  const { id } = await createUser(ctx, person, { type: 'system' }, await freeId(ctx, users, wanted))
  return { id, username, password }
}

async function resetPassword({ db }: Context, id: string): Promise<string> {
  const password = newPassword()
  await db
    .update(users)
    .set({ passwordHash: await hashPassword(password) })
    .where(eq(users.id, id))
  return password
}

const newPassword = () => randomBytes(12).toString('base64url')

/** A context that acts as this user, as if they were logged in. */
export function actingAs(ctx: Context, { id, username }: { id: string; username: string }): UserContext {
  return { ...ctx, principal: { kind: 'user', userId: id, username, clientId: null, scopes } }
}
