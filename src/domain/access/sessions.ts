import { randomBytes } from 'node:crypto'
import { and, asc, desc, eq, inArray, lt, ne, type SQL, sql } from 'drizzle-orm'
import { loginSessions } from '../../db/schema/index.ts'
import { instantText, statement } from '../../db/statement.ts'
import type { AuthenticationMethod } from '../../shared/authentication-methods.ts'
import { DAY_MS } from '../../time/durations.ts'
import { addressOf, audit, auditAll, userAgentOf } from '../audit/audit.ts'
import type { Caller } from '../core/caller.ts'
import type { CalledContext, Context, UserContext } from '../core/context.ts'
import { dbNow, inMs } from '../core/db-now.ts'
import { sha256 } from '../core/digest.ts'
import { isId, newId } from '../core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../core/paging.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { endPendingLoginsOf } from './pending-logins.ts'
import type { LoginSession } from './resources.ts'

const LIFE_MS = 7 * DAY_MS
/** Enough for the browsers of one person; a script that logs in anew each time ends its own oldest ones. */
export const SESSIONS_MAX = 20
/** A login ends no more of them: who has ten thousand waits for one round of that, and has more after it for a while. */
const ENDED_BY_LOGIN_MAX = 1_000

/** Not expired, and not idle for longer than allowed. */
export const SESSION_IS_ALIVE = `s.expires_at > statement_timestamp() and s.last_seen_at > statement_timestamp() - interval '12 hours'`
/** When that ends, unless the session is used before. */
export const SESSION_ENDS_AT = `least(s.expires_at, s.last_seen_at + interval '12 hours')`

/** `authenticatedAt`: when its user last proved who they are, and `amr`: how (RFC 8176). */
export type Session = {
  id: string
  userId: string
  username: string
  authenticatedAt: Date
  amr: readonly AuthenticationMethod[]
  /** Whether that was at most ten minutes ago. */
  isFresh: boolean
}

type FoundSession = {
  id: string
  user_id: string
  username: string
  authenticated_at: string
  amr: AuthenticationMethod[]
  is_fresh: boolean
  is_use_due: boolean
}

const findAlive = statement<[hash: Buffer], FoundSession>(`
  select s.id, s.user_id, u.username, ${instantText('s.authenticated_at')} as authenticated_at, s.amr,
         s.authenticated_at > statement_timestamp() - interval '10 minutes' as is_fresh,
         s.last_seen_at < statement_timestamp() - interval '1 minute' as is_use_due
    from login_sessions s
    join users u on u.id = s.user_id
   where s.secret_hash = $1 and u.disabled_at is null and ${SESSION_IS_ALIVE}`)

const noteUse = statement<[id: string], never>(`
  update login_sessions set last_seen_at = statement_timestamp()
   where id = $1 and last_seen_at < statement_timestamp() - interval '1 minute'`)

/** The living session that has this secret in its cookie, or undefined. Counts as a use, so it does not become idle. */
export async function findSession(ctx: Context, secret: string): Promise<Session | undefined> {
  const [found] = await findAlive(ctx.db, sha256(secret))
  if (!found) return undefined
  if (found.is_use_due) await noteUse(ctx.db, found.id)
  const { id, user_id: userId, username, authenticated_at: authenticatedAt, amr, is_fresh: isFresh } = found
  return { id, userId, username, authenticatedAt: new Date(authenticatedAt), amr, isFresh }
}

/**
 * Starts a session for whoever has just proved by `amr` to be this user, and returns the secret for its cookie, which is not
 * stored. The session lives at most a week. Of more than `SESSIONS_MAX` the oldest end, a thousand at a time.
 */
export async function startSession(
  ctx: CalledContext,
  userId: string,
  amr: readonly AuthenticationMethod[],
): Promise<string> {
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
      authenticatedAt: dbNow,
      amr: [...amr],
      ip: addressOf(ctx.caller),
      userAgent: userAgentOf(ctx.caller),
    })
    await audit(tx, { actor: { type: 'user', id: userId }, action: 'session.started', userId, targetId: id })
    await endOldest(tx, userId)
  })
  return secret
}

/** Ends what a user has beyond `SESSIONS_MAX`, at most `ENDED_BY_LOGIN_MAX` of it. */
async function endOldest(tx: InTransaction, userId: string): Promise<void> {
  const ids = () => tx.db.select({ id: loginSessions.id }).from(loginSessions)
  const isTheirs = eq(loginSessions.userId, userId)
  const lastKept = ids()
    .where(and(isTheirs, sql`${sql.raw(SESSION_IS_ALIVE.replaceAll('s.', 'login_sessions.'))}`))
    .orderBy(desc(loginSessions.id))
    .limit(1)
    .offset(SESSIONS_MAX - 1)
  const oldest = ids()
    .where(and(isTheirs, lt(loginSessions.id, lastKept)))
    .orderBy(asc(loginSessions.id))
    .limit(ENDED_BY_LOGIN_MAX)
  await endSessions(tx, inArray(loginSessions.id, oldest))
}

/** Ends the session that has this secret in its cookie, if there is one. */
export async function endSession(ctx: Context, secret: string): Promise<void> {
  await transact(ctx, (tx) => endSessions(tx, eq(loginSessions.secretHash, sha256(secret))))
}

/** Ends all sessions of a user, and the logins that still wait for a second factor. */
export async function endSessionsOf(tx: InTransaction, userId: string): Promise<void> {
  await endSessions(tx, eq(loginSessions.userId, userId))
  await endPendingLoginsOf(tx, userId)
}

/** The same, but for the session `kept`. */
export async function endOtherSessions(tx: InTransaction, userId: string, kept = ''): Promise<void> {
  await endSessions(tx, and(eq(loginSessions.userId, userId), ne(loginSessions.id, kept)))
  await endPendingLoginsOf(tx, userId)
}

const addMethod = statement<[id: string, method: AuthenticationMethod], never>(`
  update login_sessions
     set authenticated_at = statement_timestamp(),
         amr = array(select m from unnest(array['pwd','otp','hwk']) m where m = any (amr) or m = $2)
   where id = $1`)

/** Notes that the user of a session has just proved once more who they are. */
export async function noteAuthentication(
  { db }: Pick<Context, 'db'>,
  id: string,
  method: AuthenticationMethod,
): Promise<void> {
  await addMethod(db, id, method)
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
  const entries = ended.map(
    ({ id, userId }) =>
      ({ actor: { type: 'user', id: userId }, action: 'session.ended', userId, targetId: id }) as const,
  )
  await auditAll(tx, entries)
  return ended.length
}

const listAlive = statement<[userId: string, before: string, count: number, current: Buffer | null], LoginSession>(`
  select s.id, ${instantText('s.created_at')} as created_at, ${instantText('s.last_seen_at')} as last_seen_at,
         ${instantText('s.expires_at')} as expires_at, host(s.ip) as ip, s.user_agent,
         coalesce(s.secret_hash = $4, false) as is_current
    from login_sessions s
   where s.user_id = $1 and s.id < $2 and ${SESSION_IS_ALIVE}
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
