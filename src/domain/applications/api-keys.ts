import { and, count, eq, isNull, not, or } from 'drizzle-orm'
import { apiKeys } from '../../db/schema/index.ts'
import { instantText, statement } from '../../db/statement.ts'
import { DAY_MS } from '../../time/durations.ts'
import { ownerIdOf, requireApplication } from '../access/ownership.ts'
import { last4Of, mint } from '../access/token-format.ts'
import { actorBehind, audit } from '../audit/audit.ts'
import type { OwnerContext } from '../core/context.ts'
import { dbNow, hasPassed, inMs } from '../core/db-now.ts'
import { sha256 } from '../core/digest.ts'
import { isId, newId } from '../core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../core/paging.ts'
import { Problem } from '../core/problem.ts'
import { isApiScope, type Scope } from '../core/scopes.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { requireName } from '../names.ts'
import type { ApiKey, CreatedApiKey } from './resources.ts'

export type NewKey = {
  application_id: string
  name: string
  /** All that the application has for the API when left out. */
  scopes?: readonly Scope[] | undefined
  /** 365 when left out. */
  expires_in_days?: number | undefined
}

const LIVING_MAX = 10
export const DAYS_DEFAULT = 365
const DAYS_MAX = 3650

const SELECT = `
  select id, client_id as application_id, name, first8, last4, scopes, created_by, replaced_by,
         ${instantText('created_at')} as created_at, ${instantText('expires_at')} as expires_at,
         ${instantText('last_used_at')} as last_used_at, ${instantText('revoked_at')} as revoked_at
    from api_keys`

const keyById = statement<[id: string], ApiKey>(`${SELECT} where id = $1`)

const keysAfter = statement<[clientId: string, after: string, count: number], ApiKey>(
  `${SELECT} where client_id = $1 and id > $2 order by id limit $3`,
)

/** The keys of an application, oldest first, including those that no longer work. Throws `not_found`. */
export async function listKeys(
  ctx: OwnerContext,
  { application_id, limit, cursor }: PageRequest & { application_id: string },
): Promise<Page<ApiKey>> {
  await requireApplication(ctx, application_id)
  const [after = ''] = decodeCursor(ctx, 'keys', cursor) ?? []
  const found = await keysAfter(ctx.db, application_id, after, limit + 1)
  return toPage(ctx, 'keys', found, limit, ({ id }) => [id])
}

/**
 * Creates a key that stands for an application. Throws `not_found`, `invalid_request`, `invalid_scope` for what the
 * application is not registered for, `limit_reached` when it has ten living keys.
 */
export async function createKey(ctx: OwnerContext, input: NewKey): Promise<CreatedApiKey> {
  const { application_id: clientId, name, expires_in_days: days = DAYS_DEFAULT } = input
  requireName(name)
  return transact(ctx, async (tx) => {
    const registered = await requireApplication(tx, clientId, 'no key update')
    const possible = registered.scopes.filter(isApiScope)
    const scopes = input.scopes ?? possible
    if (scopes.length === 0 || !scopes.every((scope) => possible.includes(scope))) {
      throw new Problem(
        'invalid_scope',
        'scopes: must be some of those for the API that the application is registered for.',
      )
    }
    await requireRoom(tx, clientId)
    const created = await insertKey(tx, { clientId, name: name.trim(), scopes, days })
    await audit(tx, { actor: actorBehind(tx.principal), action: 'key.created', clientId, targetId: created.id })
    return created
  })
}

/** Ends a key at once. Throws `not_found`, also for one that is revoked already. */
export async function revokeKey(ctx: OwnerContext, { id }: { id: string }): Promise<void> {
  await transact(ctx, async (tx) => {
    const { clientId } = await lockLiving(tx, id)
    const revoked = await tx.db
      .update(apiKeys)
      .set({ revokedAt: dbNow })
      .where(eq(apiKeys.id, id))
      .returning({ hash: apiKeys.hash })
    await audit(tx, { actor: actorBehind(tx.principal), action: 'key.revoked', clientId, targetId: id })
    for (const { hash } of revoked) tx.afterCommit(() => tx.credentials.end(hash.toString('base64')))
  })
}

const isLiving = () => and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), not(hasPassed(apiKeys.expiresAt))))

/** A living key that the caller owns, under the lock of its application. Throws `not_found`. */
export async function lockLiving(tx: InTransaction<OwnerContext>, id: string) {
  const select = () =>
    tx.db
      .select({
        clientId: apiKeys.clientId,
        name: apiKeys.name,
        scopes: apiKeys.scopes,
        replacedBy: apiKeys.replacedBy,
      })
      .from(apiKeys)
      .where(and(eq(apiKeys.id, id), isLiving()))
  const [seen] = isId('key', id) ? await select() : []
  if (seen) await requireApplication(tx, seen.clientId, 'no key update')
  const [living] = seen ? await select() : []
  if (!living) throw new Problem('not_found', 'id: you have no living key with this identifier.')
  return living
}

/** A key that was rolled still works for a day, but no longer counts. */
async function requireRoom({ db }: InTransaction, clientId: string): Promise<void> {
  const isCounted = and(eq(apiKeys.clientId, clientId), isNull(apiKeys.replacedBy), isLiving())
  const [found] = await db.select({ living: count() }).from(apiKeys).where(isCounted)
  if (!found || found.living < LIVING_MAX) return
  throw new Problem('limit_reached', `An application has at most ${LIVING_MAX} living keys.`)
}

type KeyToInsert = { clientId: string; name: string; scopes: readonly string[]; days: number }

/** Stores a new key and returns it with its value. Throws `invalid_request` for a life that is not 1 to 3650 days. */
export async function insertKey(tx: InTransaction<OwnerContext>, { clientId, name, scopes, days }: KeyToInsert) {
  if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX) {
    throw new Problem('invalid_request', `expires_in_days: must be a whole number from 1 to ${DAYS_MAX}.`)
  }
  const key = mint('key')
  const at = tx.now()
  const id = newId('key', at)
  const createdBy = ownerIdOf(tx)
  const shown = { id, clientId, name, scopes: [...scopes], createdBy, createdAt: at, expiresAt: inMs(days * DAY_MS) }
  await tx.db.insert(apiKeys).values({ ...shown, hash: sha256(key), first8: key.slice(0, 8), last4: last4Of(key) })
  const [listed] = await keyById(tx.db, id)
  if (!listed) throw new Error('A key that was inserted is not there')
  return { ...listed, key }
}
