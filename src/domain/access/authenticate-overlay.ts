import { statement } from '../../db/statement.ts'
import type { OverlayPrincipal } from '../core/actor.ts'
import type { Context, FoundPrincipal } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'

/**
 * The principal behind an overlay key, whose form is right. Read and remembered as `authenticate` does it. Throws
 * `invalid_token`.
 */
export async function authenticateOverlay(ctx: Context, key: string): Promise<OverlayPrincipal> {
  const found = await ctx.credentials.principalOf(key, () => find(ctx, key))
  if (found?.kind === 'overlay') return found
  throw new Problem('invalid_token', 'The overlay key is invalid, or was rolled or revoked.')
}

type FoundOverlay = { id: string; channel_id: string; username: string; event_types: string[]; is_use_due: boolean }

const findKey = statement<[hash: Buffer], FoundOverlay>(`
  select o.id, o.channel_id, u.username, o.event_types,
         coalesce(o.last_used_at < statement_timestamp() - interval '1 minute', true) as is_use_due
    from overlay_keys o
    join users u on u.id = o.channel_id
   where o.hash = $1 and u.disabled_at is null`)

/** Has the condition again: it is checked under the row's lock, so of many readers at once only one writes. */
const noteUse = statement<[id: string], never>(`
  update overlay_keys set last_used_at = statement_timestamp()
   where id = $1 and coalesce(last_used_at < statement_timestamp() - interval '1 minute', true)`)

async function find(ctx: Context, key: string): Promise<FoundPrincipal | undefined> {
  const [found] = await findKey(ctx.db, sha256(key))
  if (!found) return undefined
  const { id, channel_id: userId, username, event_types: types, is_use_due: isUseDue } = found
  if (isUseDue) await noteUse(ctx.db, id)
  const principal = { kind: 'overlay', userId, username, types, clientId: null, scopes: [] } as const
  return { principal, livesMs: Number.POSITIVE_INFINITY }
}
