import { and, eq } from 'drizzle-orm'
import { clients } from '../../db/schema/index.ts'
import type { OwnerContext } from '../audit/audit.ts'
import { isId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'

/** The user whose applications a verb may touch; undefined for the operator, who may touch all. */
export const ownerIdOf = ({ principal }: OwnerContext) => (principal.kind === 'user' ? principal.userId : undefined)

/** `update` before a deletion; `no key update` for changes, which keeps nobody from issuing tokens meanwhile. */
type Lock = 'update' | 'no key update'

/** An application that is the caller's, locked when asked to. Throws `not_found`, also for one that is somebody else's. */
export async function requireOwnedApplication(ctx: OwnerContext, id: string, lock?: Lock) {
  const found = isId('client', id) ? await selectOwned(ctx, id, lock) : undefined
  if (!found) throw new Problem('not_found', 'id: you have no application with this identifier.')
  return found
}

async function selectOwned(ctx: OwnerContext, id: string, lock: Lock | undefined) {
  const owner = ownerIdOf(ctx)
  const isTheirs = owner === undefined ? undefined : eq(clients.ownerId, owner)
  const query = ctx.db
    .select({ confidential: clients.confidential, authMethod: clients.authMethod, scopes: clients.scopes })
    .from(clients)
    .where(and(eq(clients.id, id), isTheirs))
  const [found] = lock ? await query.for(lock) : await query
  return found
}
