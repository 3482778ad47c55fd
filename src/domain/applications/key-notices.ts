import { instantText, statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { transact } from '../core/transaction.ts'
import type { EndingKey } from '../mail/notice-mails.ts'
import { mailboxSql, mailsLeftSql, queueNotices, takesNotices } from '../mail/queue-notices.ts'

const KEYS_AT_ONCE = 500
const NAMED_MAX = 20

type Claimed = EndingKey & { user_id: string; address: string }

/**
 * Keys that end within 14 days, or within three, of which nobody was told that yet: each key and notice once, however many
 * processes ask. Not of one that was rolled, nor of one that was made for less time than that.
 */
const claimKeys = statement<[], Claimed>(`
with due as materialized (
  select k.id, k.name, k.last4, k.expires_at, c.id as client_id, c.name as application, u.id as user_id, u.email as address, d.days
    from api_keys k join clients c on c.id = k.client_id join users u on u.id = c.owner_id
   cross join lateral (
     select case when k.expires_at <= statement_timestamp() + interval '3 days' then 3 else 14 end as days) d
    left join key_notices told on told.key_id = k.id
   where least(k.revoked_at, k.expires_at) between statement_timestamp() and statement_timestamp() + interval '14 days'
     and k.revoked_at is null and k.replaced_by is null and k.created_at < k.expires_at - d.days * interval '1 day'
     and coalesce(told.days > d.days, true) and c.disabled_at is null and ${takesNotices('u', 'key_notice')}
     and ${mailsLeftSql(mailboxSql('u.email'), 'key_notice')} > 0
   order by u.id, k.id limit ${KEYS_AT_ONCE}
), claimed as (
  insert into key_notices (key_id, days) select id, days from due order by id
  on conflict (key_id) do update set days = excluded.days where key_notices.days > excluded.days
  returning key_id
)
select user_id, address, id, name, last4, application, client_id as "applicationId", ${instantText('expires_at')} as "endsAt"
  from due where id in (select key_id from claimed) order by user_id, expires_at, id`)

/** Tells the owners of applications by mail which of their keys end in 14 and in three days, in one mail for all of a batch. */
export async function tellOfEndingKeys(ctx: Context): Promise<void> {
  while ((await tellSome({ ...ctx, db: ctx.slow })) === KEYS_AT_ONCE);
}

const tellSome = (ctx: Context): Promise<number> =>
  transact(ctx, async (tx) => {
    const claimed = await claimKeys(tx.db)
    const owners = [...new Set(claimed.map(({ user_id: id }) => id))]
    const notices = owners.map((userId) =>
      noticeOf(
        userId,
        claimed.filter(({ user_id: id }) => id === userId),
      ),
    )
    await queueNotices(tx, 'key_notice', notices)
    return claimed.length
  })

function noticeOf(userId: string, ending: Claimed[]) {
  const keys = ending.slice(0, NAMED_MAX).map(({ user_id: _, address: __, ...key }) => key)
  return { userId, address: ending[0]?.address ?? '', values: { keys, more: ending.length - keys.length } }
}
