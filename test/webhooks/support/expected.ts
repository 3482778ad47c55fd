import { sql } from 'drizzle-orm'
import type { Context } from '../../../src/domain/core/context.ts'

type Reach = Pick<Context, 'db'>

/**
 * Lets a trigger in the database note for whom each event is, at the moment that it happens. So the note depends neither on
 * what becomes of the subscription later nor on the statements that are under test.
 */
export async function noteExpected({ db }: Reach): Promise<void> {
  await db.execute(sql`
    create table expected_deliveries (event_id text, subscription_id text, is_withdrawn boolean not null default false)`)
  await db.execute(sql`
    create function note_expected() returns trigger language plpgsql
    set enable_nestloop = off set enable_seqscan = on -- without statistics thousands of receivers would be looked up in thousands of turns
    as $$ begin
      insert into expected_deliveries (event_id, subscription_id)
      select distinct new.id, s.id from webhook_subscription_types t join webhook_subscriptions s on s.id = t.subscription_id
      where t.type = new.type and t.channel_id in (new.channel_id, '*') and s.status = 'enabled' and s.deleted_at is null;
      return null;
    end $$`)
  await db.execute(sql`
    create trigger note_expected after insert on events for each row when (new.sequence > 0)
    execute function note_expected()`)
}

/** Empties the queue, which no verb of the service does, and no longer expects what was in it. */
export async function withdraw({ db }: Reach): Promise<void> {
  await db.execute(sql`
    update expected_deliveries x set is_withdrawn = true from webhook_deliveries d
    where d.event_id = x.event_id and d.subscription_id = x.subscription_id`)
  await db.execute(sql`truncate webhook_deliveries`)
}
