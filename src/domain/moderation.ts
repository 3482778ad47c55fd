import { and, eq, isNull } from 'drizzle-orm'
import { bans, users } from '../db/schema/index.ts'
import { instantText, statement } from '../db/statement.ts'
import type { UserContext } from './core/context.ts'
import { isId, newId } from './core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from './core/paging.ts'
import { Problem } from './core/problem.ts'
import type { Ban } from './core/resources.ts'
import type { InTransaction } from './core/transaction.ts'
import { transactInTurn } from './core/turns/transact-in-turn.ts'
import { emitEvent } from './events/emit.ts'

const bansBefore = statement<[channelId: string, id: string, count: number], Ban>(`
  select b.id, ${instantText('b.created_at')} as created_at,
    case when u.id is not null then json_build_object('id', u.id, 'username', u.username) end as blocked_user
  from (select * from bans where channel_id = $1 and id < $2 order by id desc limit 101) b
  left join users u on u.id = b.user_id and u.erased_at is null
  order by b.id desc limit $3`)

const AFTER_ALL = 'ban_~'

/** The bans of the caller's channel, newest first. */
export async function listBans(ctx: UserContext, { limit, cursor }: PageRequest): Promise<Page<Ban>> {
  const [before = AFTER_ALL] = decodeCursor(ctx, 'bans', cursor) ?? []
  const found = await bansBefore(ctx.db, ctx.principal.userId, before, limit + 1)
  return toPage(ctx, 'bans', found, limit, ({ id }) => [id])
}

/** Bans a user from the caller's channel. Throws `cannot_ban_self`, `user_not_found`, `already_banned`. */
export async function createBan(ctx: UserContext, { user_id: userId }: { user_id: string }): Promise<Ban> {
  if (userId === ctx.principal.userId) throw new Problem('cannot_ban_self', 'user_id: you cannot ban yourself.')
  return transactInTurn(ctx, async (tx) => {
    const user = await findUser(tx, userId)
    const at = tx.now()
    const id = newId('ban', at)
    const inserted = await tx.db
      .insert(bans)
      .values({ id, channelId: tx.principal.userId, userId, createdAt: at })
      .onConflictDoNothing({ target: [bans.channelId, bans.userId] })
      .returning({ id: bans.id })
    if (inserted.length === 0) throw new Problem('already_banned', 'user_id: this user is banned already.')
    const ban = { id, created_at: at.toISOString(), blocked_user: user }
    await emitEvent(tx, 'moderation.ban.created', { channel: channelOf(tx), data: ban })
    return ban
  })
}

/** Lifts a ban of the caller's channel, if there is one; `removed` tells whether there was. */
export async function removeBan(ctx: UserContext, { user_id: userId }: { user_id: string }) {
  if (!isId('user', userId)) return { removed: false }
  return transactInTurn(ctx, async (tx) => {
    const [removed] = await tx.db
      .delete(bans)
      .where(and(eq(bans.channelId, tx.principal.userId), eq(bans.userId, userId)))
      .returning({ id: bans.id, createdAt: bans.createdAt })
    if (!removed) return { removed: false }
    const ban = {
      id: removed.id,
      created_at: removed.createdAt.toISOString(),
      blocked_user: (await selectUser(tx, userId)) ?? null,
    }
    await emitEvent(tx, 'moderation.ban.removed', { channel: channelOf(tx), data: ban })
    return { removed: true }
  })
}

async function findUser(tx: InTransaction<UserContext>, id: string) {
  const user = isId('user', id) ? await selectUser(tx, id) : undefined
  if (!user) throw new Problem('user_not_found', 'user_id: there is no user with this identifier.')
  return user
}

/**
 * A suspended account, too: it can come back, and who bans it must not learn from a refusal that it is suspended. One that was
 * erased is nobody: its row only keeps the name from others.
 */
async function selectUser({ db }: InTransaction, id: string) {
  const isThere = and(eq(users.id, id), isNull(users.erasedAt))
  const [user] = await db.select({ id: users.id, username: users.username }).from(users).where(isThere)
  return user
}

const channelOf = ({ principal: { userId, username } }: UserContext) => ({ id: userId, username })
