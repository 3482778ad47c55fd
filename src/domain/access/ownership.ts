import { and, eq } from 'drizzle-orm'
import { clients } from '../../db/schema/index.ts'
import type { OwnerContext } from '../core/context.ts'
import { isId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'

/** The user whose applications an owner may touch; null for the operator, who owns none and may touch all. */
export function ownerIdOf({ principal }: OwnerContext): string | null {
  switch (principal.kind) {
    case 'user':
      return principal.userId
    case 'operator':
      return null
  }
}

/**
 * `update` before a deletion; `no key update` for changes, because it does not block tokens from being issued
 * meanwhile.
 */
type Lock = 'update' | 'no key update'

/** An application that the caller owns, locked if asked to. Throws `not_found`, also for one of another owner. */
export async function requireOwnedApplication(ctx: OwnerContext, id: string, lock?: Lock) {
  const found = isId('client', id) ? await selectOwned(ctx, id, lock) : undefined
  if (!found) throw new Problem('not_found', 'id: you have no application with this identifier.')
  return found
}

async function selectOwned(ctx: OwnerContext, id: string, lock: Lock | undefined) {
  const ownerId = ownerIdOf(ctx)
  const isTheirs = ownerId === null ? undefined : eq(clients.ownerId, ownerId)
  const query = ctx.db
    .select({ confidential: clients.confidential, authMethod: clients.authMethod, scopes: clients.scopes })
    .from(clients)
    .where(and(eq(clients.id, id), isTheirs))
  const [found] = lock ? await query.for(lock) : await query
  return found
}
