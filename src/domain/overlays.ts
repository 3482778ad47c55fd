import { and, count, eq } from 'drizzle-orm'
import * as z from 'zod'
import { overlayKeys } from '../db/schema/index.ts'
import { instantText, statement } from '../db/statement.ts'
import { lockOwnAccount } from './access/account-locks.ts'
import { last4Of, mint } from './access/token-format.ts'
import { actorBehind, audit } from './audit/audit.ts'
import type { UserContext } from './core/context.ts'
import { sha256 } from './core/digest.ts'
import { isId, newId } from './core/ids.ts'
import { Problem } from './core/problem.ts'
import { Timestamp } from './core/timestamp.ts'
import { type InTransaction, transact } from './core/transaction.ts'
import { requireKnownTypes } from './events/known-types.ts'
import { isModerationType, type SubscribableType } from './events/types.ts'
import { requireName } from './names.ts'

/** A key of an overlay without its value, which is shown once. */
export const OverlayKey = z.object({
  id: z.string(),
  name: z.string(),
  last4: z.string(),
  event_types: z.array(z.string()),
  created_at: Timestamp,
  /** When it got the value that it has now; null for the first one. */
  rolled_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
})
export const CreatedOverlayKey = OverlayKey.extend({ key: z.string() })
export type OverlayKey = z.output<typeof OverlayKey>
export type CreatedOverlayKey = z.output<typeof CreatedOverlayKey>

export type NewOverlay = { name: string; event_types: readonly string[] }

const KEYS_MAX = 10

const SELECT = `
  select id, name, last4, event_types, ${instantText('created_at')} as created_at,
         ${instantText('rolled_at')} as rolled_at, ${instantText('last_used_at')} as last_used_at
    from overlay_keys`

const keysOfChannel = statement<[channelId: string], OverlayKey>(`${SELECT} where channel_id = $1 order by id`)
const keyById = statement<[id: string], OverlayKey>(`${SELECT} where id = $1`)

/** The overlay keys of the caller's channel, oldest first: ten at most. */
export async function listOverlays({ db, principal }: UserContext): Promise<OverlayKey[]> {
  return keysOfChannel(db, principal.userId)
}

/**
 * Makes a key that reads these types of the events of the caller's channel in the feed, and does nothing else. Throws
 * `invalid_request`, `unknown_event_type`, and `limit_reached` for an eleventh.
 */
export async function createOverlay(ctx: UserContext, { name, event_types }: NewOverlay): Promise<CreatedOverlayKey> {
  requireName(name)
  const eventTypes = requireOverlayTypes(event_types)
  return transact(ctx, async (tx) => {
    await lockOwnAccount(tx)
    await requireRoom(tx)
    const key = mint('overlay')
    const createdAt = tx.now()
    const id = newId('overlay', createdAt)
    const { userId: channelId } = tx.principal
    const kept = { hash: sha256(key), last4: last4Of(key) }
    await tx.db.insert(overlayKeys).values({ id, channelId, name: name.trim(), eventTypes, createdAt, ...kept })
    await auditOverlay(tx, 'created', id)
    return shownOnce(tx, id, key)
  })
}

/** Gives a key another value; the one before it ends at once, and its streams with it. Throws `not_found`. */
export async function rollOverlay(ctx: UserContext, { id }: { id: string }): Promise<CreatedOverlayKey> {
  return transact(ctx, async (tx) => {
    await lockOwnAccount(tx)
    const before = await lockOverlay(tx, id)
    const key = mint('overlay')
    const kept = { hash: sha256(key), last4: last4Of(key) }
    await tx.db
      .update(overlayKeys)
      .set({ ...kept, rolledAt: tx.now(), lastUsedAt: null })
      .where(eq(overlayKeys.id, id))
    await auditOverlay(tx, 'rolled', id)
    endAfterCommit(tx, before.hash)
    return shownOnce(tx, id, key)
  })
}

/** Ends a key at once, and its streams with it. Throws `not_found`. */
export async function revokeOverlay(ctx: UserContext, { id }: { id: string }): Promise<void> {
  await transact(ctx, async (tx) => {
    const { hash } = await lockOverlay(tx, id)
    await tx.db.delete(overlayKeys).where(eq(overlayKeys.id, id))
    await auditOverlay(tx, 'revoked', id)
    endAfterCommit(tx, hash)
  })
}

function requireOverlayTypes(asked: readonly string[]): SubscribableType[] {
  const types = requireKnownTypes('event_types', asked)
  if (!types.some(isModerationType)) return types
  throw new Problem('invalid_request', 'event_types: moderation events are not for overlays, which others look at.')
}

/** While the account is locked, so that keys which are made at the same time are counted one after the other. */
async function requireRoom({ db, principal }: InTransaction<UserContext>): Promise<void> {
  const { userId } = principal
  const [found] = await db.select({ kept: count() }).from(overlayKeys).where(eq(overlayKeys.channelId, userId))
  if (found && found.kept >= KEYS_MAX)
    throw new Problem('limit_reached', `A channel has at most ${KEYS_MAX} overlay keys.`)
}

async function lockOverlay({ db, principal }: InTransaction<UserContext>, id: string): Promise<{ hash: Buffer }> {
  const isTheirs = and(eq(overlayKeys.id, id), eq(overlayKeys.channelId, principal.userId))
  const [found] = isId('overlay', id)
    ? await db.select({ hash: overlayKeys.hash }).from(overlayKeys).where(isTheirs).for('update')
    : []
  if (!found) throw new Problem('not_found', 'id: you have no overlay key with this identifier.')
  return found
}

function auditOverlay(tx: InTransaction<UserContext>, what: 'created' | 'rolled' | 'revoked', targetId: string) {
  const { principal } = tx
  return audit(tx, {
    actor: actorBehind(principal),
    action: `overlay_key.${what}`,
    userId: principal.userId,
    targetId,
  })
}

/** Other processes are told by a trigger. */
function endAfterCommit(tx: InTransaction, hash: Buffer): void {
  tx.afterCommit(() => tx.credentials.end(hash.toString('base64')))
}

async function shownOnce({ db }: InTransaction, id: string, key: string): Promise<CreatedOverlayKey> {
  const [listed] = await keyById(db, id)
  if (!listed) throw new Error('An overlay key that was written is not there')
  return { ...listed, key }
}
