import { instantText, statement } from '../../../db/statement.ts'
import { DISABLE_AFTER_DAYS } from '../../../shared/delivery.ts'
import type { Context } from '../../core/context.ts'
import { transact } from '../../core/transaction.ts'
import type { FailingWebhook } from '../../mail/notice-mails.ts'
import { mailboxSql, mailsLeftSql, queueNotices, takesNotices } from '../../mail/queue-notices.ts'

/** Of so many applications a transaction tells, and so many webhooks a mail names. */
const APPLICATIONS_AT_ONCE = 100
const NAMED_MAX = 5
/** Longer than a transaction lasts: what is told of up to then will not be joined by something earlier. */
const UP_TO = `(statement_timestamp() - interval '1 minute')`

/** SQL: the last stage that a subscription `s` has reached, and when; a row, or none. */
const stageOf = `
  select * from (values
    ('failing', case when s.status = 'enabled' then s.first_failure_at + interval '1 day' end),
    ('ending', case when s.status = 'enabled' then s.first_failure_at + interval '3 days' end),
    ('disabled', case when s.disabled_reason in ('failing', 'gone') then s.disabled_at end)) reached (stage, at)
   where at between statement_timestamp() - interval '7 days' and ${UP_TO}
   order by at desc limit 1`

type Claimed = { client_id: string; name: string; user_id: string; address: string; since: string }

/**
 * The applications of which something is to be told, each once a day however many processes ask. `since` is up to when its owner
 * was told before. A subscription that an application made for one of its users is told to the owner of the application too: the
 * receiver is theirs.
 */
const claimApplications = statement<[], Claimed>(`
with due as materialized (
  select c.id as client_id, c.name, u.id as user_id, u.email as address, told_until,
         row_number() over (partition by ${mailboxSql('u.email')} order by c.id) as n, ${mailboxSql('u.email')} as mailbox
    from clients c join users u on u.id = c.owner_id left join webhook_notices t on t.client_id = c.id
   where c.disabled_at is null and ${takesNotices('u', 'webhook_notice')}
     and coalesce(told_until <= ${UP_TO} - interval '1 day', true)
     and c.id in (
       select s.client_id from webhook_subscriptions s cross join lateral (${stageOf}) stage
         left join webhook_notices before on before.client_id = s.client_id
        where s.deleted_at is null and coalesce(stage.at > before.told_until, true))
), chosen as materialized (
  select * from due where n <= ${mailsLeftSql('due.mailbox', 'webhook_notice')} order by client_id limit ${APPLICATIONS_AT_ONCE}
), claimed as (
  insert into webhook_notices (client_id, told_until) select client_id, ${UP_TO} from chosen order by client_id
  on conflict (client_id) do update set told_until = excluded.told_until
    where webhook_notices.told_until <= excluded.told_until - interval '1 day'
  returning client_id
)
select client_id, name, user_id, address, coalesce(told_until, '-infinity')::text as since
  from chosen where client_id in (select client_id from claimed)`)

type Reached = Omit<FailingWebhook, 'host'> & { client_id: string; url: string; total: number }

/** A statement of its own: one that waits for locked rows must not look into partitions (`queue/last-attempt.ts`). */
const selectReached = statement<[clients: string[], since: string[]], Reached>(`
select r.client_id, r.id, r.url, r.stage, r.total,
       case when r.disabled_reason = 'gone' then null else ${instantText('r.first_failure_at')} end as since,
       ${instantText(`coalesce(r.disabled_at, r.first_failure_at + interval '${DISABLE_AFTER_DAYS} days')`)} as "disabledAt",
       last.answer as last
  from unnest($1::text[], $2::text[]) told (client_id, since)
 cross join lateral (
   select s.*, stage.*, count(*) over ()::int as total
     from webhook_subscriptions s cross join lateral (${stageOf}) stage
    where s.client_id = told.client_id and s.deleted_at is null and stage.at > told.since::timestamptz
    order by stage.at desc, s.id limit ${NAMED_MAX}) r
  left join lateral (
    select coalesce(to_json(a.status), to_json(a.error_class)) as answer
      from (select * from (select id from webhook_deliveries where lane = 1 and subscription_id = r.id order by due_at desc limit 3) pending
             union all
            select * from (select id from webhook_deliveries_done where subscription_id = r.id order by id desc limit 3) done) tried
     cross join lateral (select * from webhook_attempts where delivery_id = tried.id order by n desc limit 1) a
     order by a.started_at desc limit 1) last on true
 order by r.client_id, r.at desc, r.id`)

/**
 * Tells the owners of applications by mail what has failed for a day, will be disabled, or was: one mail a day for each
 * application, with what has come to that since the last. Nobody is told twice, whoever else does so, or ends in between.
 */
export async function tellOfFailing(ctx: Context): Promise<void> {
  while ((await tellSome({ ...ctx, db: ctx.slow })) === APPLICATIONS_AT_ONCE);
}

const tellSome = (ctx: Context): Promise<number> =>
  transact(ctx, async (tx) => {
    const claimed = await claimApplications(tx.db)
    if (claimed.length === 0) return 0
    const reached = await selectReached(tx.db, ...columnsOf(claimed))
    const notices = claimed.flatMap((one) =>
      noticeOf(
        one,
        reached.filter(({ client_id: id }) => id === one.client_id),
      ),
    )
    await queueNotices(tx, 'webhook_notice', notices)
    return claimed.length
  })

const columnsOf = (claimed: Claimed[]) =>
  [claimed.map(({ client_id: id }) => id), claimed.map(({ since }) => since)] as const

/** None where the last of its webhooks has recovered meanwhile. */
function noticeOf({ client_id: id, name, user_id: userId, address }: Claimed, reached: Reached[]) {
  const [first] = reached
  if (!first) return []
  const webhooks = reached.map(({ client_id: _, url, total: __, ...webhook }) => ({
    ...webhook,
    host: new URL(url).host,
  }))
  return [{ userId, address, values: { application: { id, name }, webhooks, more: first.total - webhooks.length } }]
}
