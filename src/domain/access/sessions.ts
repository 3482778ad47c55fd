import { randomBytes } from 'node:crypto'
import { and, eq, type SQL } from 'drizzle-orm'
import { loginSessions } from '../../db/schema/index.ts'
import { instantText, statement } from '../../db/statement.ts'
import { DAY_MS } from '../../time/durations.ts'
import { addressOf, audit, userAgentOf } from '../audit/audit.ts'
import type { Caller, Context, UserContext } from '../core/context.ts'
import { dbNow, inMs } from '../core/db-now.ts'
import { sha256 } from '../core/digest.ts'
import { isId, newId } from '../core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../core/paging.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import type { LoginSession } from './resources.ts'

const LIFE_MS = 7 * DAY_MS

/** Not expired, and not idle for longer than allowed. */
const IS_ALIVE = `s.expires_at > statement_timestamp() and s.last_seen_at > statement_timestamp() - interval '12 hours'`

export type Session = { id: string; userId: string; username: string }

type FoundSession = { id: string; user_id: string; username: string; is_use_due: boolean }

const findAlive = statement<[hash: Buffer], FoundSession>(`
  select s.id, s.user_id, u.username, s.last_seen_at < statement_timestamp() - interval '1 minute' as is_use_due
    from login_sessions s
    join users u on u.id = s.user_id
   where s.secret_hash = $1 and u.disabled_at is null and ${IS_ALIVE}`)

const noteUse = statement<[id: string], never>(`
  update login_sessions set last_seen_at = statement_timestamp()
   where id = $1 and last_seen_at < statement_timestamp() - interval '1 minute'`)

/** The living session that has this secret in its cookie, or undefined. Counts as a use, so it does not become idle. */
export async function findSession(ctx: Context, secret: string): Promise<Session | undefined> {
  const [found] = await findAlive(ctx.db, sha256(secret))
  if (!found) return undefined
  if (found.is_use_due) await noteUse(ctx.db, found.id)
  return { id: found.id, userId: found.user_id, username: found.username }
}

/** Does not count as a use: for a stream that is open in a tab, which nobody may be looking at. */
export async function isSessionAlive({ db }: Context, secret: string): Promise<boolean> {
  return (await findAlive(db, sha256(secret))).length > 0
}

/** Starts a session and returns the secret for its cookie, which is not stored. The session lives at most a week. */
export async function startSession(ctx: Context & { caller: Caller }, userId: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const at = ctx.now()
  const id = newId('session', at)
  await transact(ctx, async (tx) => {
    await tx.db.insert(loginSessions).values({
      id,
      secretHash: sha256(secret),
      userId,
      createdAt: at,
      lastSeenAt: dbNow,
      expiresAt: inMs(LIFE_MS),
      ip: addressOf(ctx.caller),
      userAgent: userAgentOf(ctx.caller),
    })
    await audit(tx, { actor: { type: 'user', id: userId }, action: 'session.started', userId, targetId: id })
  })
  return secret
}

/** Ends the session that has this secret in its cookie, if there is one. */
export async function endSession(ctx: Context, secret: string): Promise<void> {
  await transact(ctx, (tx) => endSessions(tx, eq(loginSessions.secretHash, sha256(secret))))
}

/** Ends all sessions of a user. */
export async function endSessionsOf(tx: InTransaction, userId: string): Promise<void> {
  await endSessions(tx, eq(loginSessions.userId, userId))
}

/** Ends a session of the caller, which may be the one that is calling. Throws `not_found`. */
export async function revokeSession(ctx: UserContext, { id }: { id: string }): Promise<void> {
  const isTheirs = and(eq(loginSessions.id, id), eq(loginSessions.userId, ctx.principal.userId))
  const ended = isId('session', id) ? await transact(ctx, (tx) => endSessions(tx, isTheirs)) : 0
  if (ended === 0) throw new Problem('not_found', 'id: you have no session with this identifier.')
}

async function endSessions(tx: InTransaction, condition: SQL | undefined): Promise<number> {
  const ended = await tx.db
    .delete(loginSessions)
    .where(condition)
    .returning({ id: loginSessions.id, userId: loginSessions.userId })
  for (const { id, userId } of ended) {
    await audit(tx, { actor: { type: 'user', id: userId }, action: 'session.ended', userId, targetId: id })
  }
  return ended.length
}

const listAlive = statement<[userId: string, before: string, count: number, current: Buffer | null], LoginSession>(`
  select s.id, ${instantText('s.created_at')} as created_at, ${instantText('s.last_seen_at')} as last_seen_at,
         ${instantText('s.expires_at')} as expires_at, host(s.ip) as ip, s.user_agent,
         coalesce(s.secret_hash = $4, false) as is_current
    from login_sessions s
   where s.user_id = $1 and s.id < $2 and ${IS_ALIVE}
   order by s.id desc limit $3`)

const AFTER_ALL = 'ses_~'

/** The caller's living sessions, newest first. */
export async function listSessions(
  ctx: UserContext & { caller: Caller },
  { limit, cursor }: PageRequest,
): Promise<Page<LoginSession>> {
  const [before = AFTER_ALL] = decodeCursor(ctx, 'sessions', cursor) ?? []
  const { session } = ctx.caller
  const current = session === undefined ? null : sha256(session)
  const found = await listAlive(ctx.db, ctx.principal.userId, before, limit + 1, current)
  return toPage(ctx, 'sessions', found, limit, ({ id }) => [id])
}
