import { statement } from '../db/statement.ts'
import type { Context } from './context.ts'
import { sha256 } from './digest.ts'

export type Session = { id: string; userId: string; username: string }

type FoundSession = { id: string; user_id: string; username: string; is_sight_old: boolean }

const findLive = statement<[hash: Buffer], FoundSession>(`
  select s.id, s.user_id, u.username, s.last_seen_at < statement_timestamp() - interval '1 minute' as is_sight_old
    from login_sessions s
    join users u on u.id = s.user_id
   where s.secret_hash = $1 and u.disabled_at is null and s.expires_at > statement_timestamp()
     and s.last_seen_at > statement_timestamp() - interval '12 hours'`)

const noteSight = statement<[id: string], never>(
  `update login_sessions set last_seen_at = statement_timestamp()
    where id = $1 and last_seen_at < statement_timestamp() - interval '1 minute'`,
)

/** The living session of a cookie's secret, or undefined. Being asked for keeps it from going idle. */
export async function findSession(ctx: Context, secret: string): Promise<Session | undefined> {
  const [found] = await findLive(ctx.db, sha256(secret))
  if (!found) return undefined
  if (found.is_sight_old) await noteSight(ctx.db, found.id)
  return { id: found.id, userId: found.user_id, username: found.username }
}
