import { and, eq } from 'drizzle-orm'
import { passkeys } from '../../db/schema/index.ts'
import type { UserContext } from '../core/context.ts'
import { isId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import { removeFactor } from './remove.ts'

/** Gives one of the caller's passkeys another name. Throws `not_found`. */
export async function renamePasskey(ctx: UserContext, { id, name }: { id: string; name: string }): Promise<void> {
  const renamed = isId('passkey', id)
    ? await ctx.db.update(passkeys).set({ name }).where(theirs(ctx, id)).returning({ id: passkeys.id })
    : []
  if (renamed.length === 0) throw notFound()
}

/** Removes one of the caller's passkeys. Throws `not_found`. */
export async function removePasskey(ctx: UserContext, { id }: { id: string }): Promise<void> {
  if (!isId('passkey', id)) throw notFound()
  await removeFactor(ctx, 'passkey', async ({ db }) => {
    const removed = await db.delete(passkeys).where(theirs(ctx, id)).returning({ id: passkeys.id })
    if (removed.length === 0) throw notFound()
  })
}

const theirs = ({ principal }: UserContext, id: string) =>
  and(eq(passkeys.id, id), eq(passkeys.userId, principal.userId))

const notFound = () => new Problem('not_found', 'id: you have no passkey with this identifier.')
