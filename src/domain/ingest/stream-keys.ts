import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { streamKeys } from '../../db/schema/index.ts'
import { instantText, statement } from '../../db/statement.ts'
import { lockOwnAccount } from '../access/account-locks.ts'
import { last4Of, mint } from '../access/token-format.ts'
import { actorBehind, audit } from '../audit/audit.ts'
import type { UserContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { Timestamp } from '../core/timestamp.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { shutOut } from './connections.ts'

/** The stream key of a channel without its value, which is shown once. */
const StreamKey = z.object({
  last4: z.string(),
  created_at: Timestamp,
  /** When it got the value that it has now; null for the first one. */
  rolled_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
})
export const CreatedStreamKey = StreamKey.extend({ key: z.string() })
/** What is entered into a streaming program. `server_url`: null where the operator takes no encoders. */
export const EncoderSettings = z.object({ server_url: z.string().nullable(), stream_key: StreamKey.nullable() })
type StreamKey = z.output<typeof StreamKey>

const keyOfChannel = statement<[channelId: string], StreamKey>(`
  select last4, ${instantText('created_at')} as created_at, ${instantText('rolled_at')} as rolled_at,
         ${instantText('last_used_at')} as last_used_at
    from stream_keys where channel_id = $1`)

/** Where the encoders of the caller's channel send to, and its key, if it has one. */
export async function getEncoderSettings(ctx: UserContext): Promise<z.output<typeof EncoderSettings>> {
  const [found] = await keyOfChannel(ctx.db, ctx.principal.userId)
  return { server_url: ctx.ingest?.serverUrl ?? null, stream_key: found ?? null }
}

/**
 * Gives the caller's channel its stream key, or that key another value. With the value before nobody publishes from now on: who
 * does is cut off at the next check, and the live stream waits a minute for the new one.
 */
export async function rollStreamKey(ctx: UserContext): Promise<z.output<typeof CreatedStreamKey>> {
  return transact(ctx, async (tx) => {
    const { userId: channelId } = tx.principal
    await lockOwnAccount(tx)
    const key = mint('stream')
    const kept = { hash: sha256(key), last4: last4Of(key), lastUsedAt: null }
    const changed = { ...kept, rolledAt: tx.now() }
    const rolled = await tx.db.update(streamKeys).set(changed).where(eq(streamKeys.channelId, channelId)).returning()
    if (rolled.length === 0) await tx.db.insert(streamKeys).values({ channelId, ...kept, createdAt: tx.now() })
    await shutOut(tx, channelId)
    await auditStreamKey(tx, rolled.length === 0 ? 'created' : 'rolled')
    const [listed] = await keyOfChannel(tx.db, channelId)
    if (!listed) throw new Error('A stream key that was written is not there')
    return { ...listed, key }
  })
}

/** Ends the key of the caller's channel: its encoder is cut off at the next check. Throws `not_found` where there is none. */
export async function revokeStreamKey(ctx: UserContext): Promise<void> {
  await transact(ctx, async (tx) => {
    const { userId: channelId } = tx.principal
    const revoked = await tx.db.delete(streamKeys).where(eq(streamKeys.channelId, channelId)).returning()
    if (revoked.length === 0) throw new Problem('not_found', 'Your channel has no stream key.')
    await shutOut(tx, channelId)
    await auditStreamKey(tx, 'revoked')
  })
}

function auditStreamKey(tx: InTransaction<UserContext>, what: 'created' | 'rolled' | 'revoked') {
  const { principal } = tx
  const { userId } = principal
  return audit(tx, { actor: actorBehind(principal), action: `stream_key.${what}`, userId, targetId: userId })
}
