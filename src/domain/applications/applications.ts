import { isDeepStrictEqual } from 'node:util'
import { and, count, eq, notInArray } from 'drizzle-orm'
import { clientRedirectUris, clients, grants } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import { actingSession, holdSession, lockUser } from '../access/account-locks.ts'
import { requireProvedFactor } from '../access/admission.ts'
import { ownerIdOf, requireApplication } from '../access/ownership.ts'
import { actorBehind, audit } from '../audit/audit.ts'
import type { OwnerContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { announceDeleted, subscriptionsOf } from '../webhooks/subscriptions/delete.ts'
import { addSecret } from './client-secrets.ts'
import { findApplication } from './list.ts'
import {
  changeRegistration,
  completeRegistration,
  isRegisteredAs,
  type NewApplication,
  type Registration,
  type RegistrationChanges,
  requireRegistration,
} from './registration.ts'
import type { Application, CreatedApplication } from './resources.ts'

export const APPLICATIONS_MAX = 100

/**
 * Registers an application. It belongs to the caller, or to nobody when the operator registers it. Throws
 * `invalid_request`, which names the field, `limit_reached`, and `second_factor_required` where developers need one.
 */
export async function createApplication(ctx: OwnerContext, input: NewApplication): Promise<CreatedApplication> {
  const { confidential, dpop_bound: dpopBound = false } = input
  if (ctx.principal.kind === 'user') requireProvedFactor(ctx, ctx.principal.session, 'developers')
  const registration = completeRegistration(input)
  requireRegistration(confidential, registration)

  return transact(ctx, async (tx) => {
    const ownerId = ownerIdOf(tx)
    await requireApplicationRoom(tx, ownerId)
    await holdSession(tx, actingSession(tx.principal))
    const at = tx.now()
    const id = newId('client', at)
    const authMethod = authMethodOf(confidential, registration)
    const fixed = { id, ownerId, confidential, authMethod, dpopBound, createdAt: at, updatedAt: at } as const
    await tx.db.insert(clients).values({ ...fixed, ...columnsOf(registration), jwksChangedAt: registration.jwks && at })
    await insertRedirectUris(tx, id, registration.redirect_uris)
    await audit(tx, { actor: actorBehind(tx.principal), action: 'application.created', clientId: id, targetId: id })
    const client_secret = authMethod === 'secret' ? await addSecret(tx, id) : null
    return { ...(await findApplication(tx, id)), client_secret }
  })
}

/**
 * Changes what is given and leaves the rest; what is so already is no change and leaves no record. Keys and tokens lose the
 * scopes that the application loses. Throws `not_found`, `invalid_request`.
 */
export async function updateApplication(
  ctx: OwnerContext,
  { id, ...changes }: RegistrationChanges & { id: string },
): Promise<Application> {
  return transact(ctx, async (tx) => {
    const { confidential } = await requireApplication(tx, id, 'no key update')
    const current = await findApplication(tx, id)
    const registration = changeRegistration(current, changes)
    requireRegistration(confidential, registration)
    if (isRegisteredAs(registration, current)) return current
    await tx.db
      .update(clients)
      .set({
        ...columnsOf(registration),
        ...(!isDeepStrictEqual(registration.jwks, current.jwks) && { jwksChangedAt: tx.now() }),
        updatedAt: tx.now(),
      })
      .where(eq(clients.id, id))
    await tx.db
      .delete(clientRedirectUris)
      .where(
        and(eq(clientRedirectUris.clientId, id), notInArray(clientRedirectUris.uri, [...registration.redirect_uris])),
      )
    await insertRedirectUris(tx, id, registration.redirect_uris)
    await narrowKeys(tx.db, id, registration.scopes)
    await audit(tx, { actor: actorBehind(tx.principal), action: 'application.updated', clientId: id, targetId: id })
    tx.afterCommit(() => tx.credentials.end(id))
    return findApplication(tx, id)
  })
}

/**
 * Deletes an application with its secrets, keys, grants, tokens and subscriptions. Locks its grants first, so that a
 * revocation under way ends before; aborts attempts to deliver its webhooks. Throws `not_found`.
 */
export async function deleteApplication(ctx: OwnerContext, { id }: { id: string }): Promise<void> {
  await transact(ctx, async (tx) => {
    await requireApplication(tx, id, 'update')
    await tx.db.select({ id: grants.id }).from(grants).where(eq(grants.clientId, id)).orderBy(grants.id).for('update')
    const subscriptions = await subscriptionsOf(tx, id)
    await tx.db.delete(clients).where(eq(clients.id, id))
    const userId = ownerIdOf(tx) // its owner can still read this, where the log of the application is no longer shown
    await audit(tx, {
      actor: actorBehind(tx.principal),
      action: 'application.deleted',
      userId,
      clientId: id,
      targetId: id,
    })
    await announceDeleted(tx, subscriptions)
    tx.afterCommit(() => tx.credentials.end(id))
  })
}

/** Throws `limit_reached`. Locks the owner before any application, so that of several at once each sees the one before. */
export async function requireApplicationRoom({ db }: InTransaction, ownerId: string | null): Promise<void> {
  if (ownerId === null) return
  await lockUser({ db }, ownerId)
  if (await hasApplicationRoom({ db }, ownerId)) return
  throw new Problem('limit_reached', `An account has at most ${APPLICATIONS_MAX} applications.`)
}

/** Whether an account can own one more. */
export async function hasApplicationRoom({ db }: Pick<InTransaction, 'db'>, ownerId: string): Promise<boolean> {
  const [found] = await db.select({ owned: count() }).from(clients).where(eq(clients.ownerId, ownerId))
  return !found || found.owned < APPLICATIONS_MAX
}

function authMethodOf(confidential: boolean, { jwks }: Registration) {
  if (jwks) return 'private_key_jwt'
  return confidential ? 'secret' : 'none'
}

const columnsOf = ({ name, website_url, grant_types, scopes, jwks }: Registration) => ({
  name: name.trim(),
  websiteUrl: website_url,
  grantTypes: [...new Set(grant_types)],
  scopes: [...new Set(scopes)],
  jwks,
})

/** Those that are there already keep the time at which they were added. */
async function insertRedirectUris(tx: InTransaction, clientId: string, uris: readonly string[]): Promise<void> {
  if (uris.length === 0) return
  const rows = [...new Set(uris)].map((uri) => ({ clientId, uri, addedAt: tx.now() }))
  await tx.db.insert(clientRedirectUris).values(rows).onConflictDoNothing()
}

const narrowKeys = statement<[clientId: string, scopes: readonly string[]], never>(`
  update api_keys set scopes = array(select unnest(scopes) intersect select unnest($2::text[]))
   where client_id = $1 and not scopes <@ $2::text[]`)
