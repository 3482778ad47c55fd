import { sql } from 'drizzle-orm'
import { fileOf, ownerOf } from '../../../src/domain/events/receiver-pace.ts'
import type { Stage } from './stage.ts'

type Crowd = {
  /** Subscriptions. */
  size: number
  /** Due deliveries of each. */
  rows?: number
  /** All of one application, or each of its own. */
  isOneApplication?: boolean
  /** The account that owns them. */
  ownerId?: string
  /** How long their attempts took lately. */
  attemptMs?: number
  url?: string
  lane?: 0 | 1
}

/** Creates subscriptions with due deliveries by SQL: an application may have only a hundred, and thousands would take long. */
export function crowds(stage: Stage) {
  let batches = 0
  const { db } = stage.context

  async function deliveries(subscriptionIds: string[], rows: number, { lane = 0, dueInS = 0 } = {}) {
    const batch = batches++
    const insert = sql`
      insert into webhook_deliveries (id, event_id, type, subscription_id, owner_id, lane, pace, due_at, created_at)
      select 'dlv_01kdyak3sm' || 'e' || lpad(${batch}::text, 4, '0') || '8' || substr(md5(s.id || n), 1, 10),
        'evt_01kdyak3sm' || lpad(n::text, 16, '0'), 'livestream.started', s.id, ${sql.raw(ownerOf('s'))}, ${lane}::smallint,
        ${sql.raw(fileOf('s'))}, statement_timestamp() + ${dueInS} * interval '1 second' - (${rows} - n) * interval '1 microsecond',
        '2026-01-02'
      from unnest(string_to_array(${subscriptionIds.join()}, ',')) asked (id) join webhook_subscriptions s on s.id = asked.id,
        generate_series(1, ${rows}::int) n`
    await db.transaction(async (tx) => {
      await tx.execute(sql`set local statement_timeout = 0`) // tens of thousands of rows may take a slow machine longer than a request
      await tx.execute(insert)
    })
  }

  async function crowd(of: Crowd) {
    const { size, rows = 0, isOneApplication = false, url = 'http://127.0.0.1:9/', lane = 0 } = of
    const { ownerId = null, attemptMs = null } = of
    const batch = batches++
    const prefix = `01kdyak3sm0000${String(batch).padStart(6, '0')}`
    const client = isOneApplication ? sql`'000000'` : sql`lpad(n::text, 6, '0')`
    const made = await db.execute<{ id: string }>(sql`
      with clients as (
        insert into clients (id, owner_id, name, confidential, grant_types, scopes, auth_method, created_at, updated_at)
        select distinct 'cli_' || ${prefix} || ${client}, ${ownerId}::text, 'A', true, '{client_credentials}'::text[], '{}'::text[], 'secret', now(), now()
        from generate_series(1, ${size}::int) n
      )
      insert into webhook_subscriptions (id, client_id, url, event_types, created_at, updated_at, attempt_ms)
      select 'sub_' || ${prefix} || lpad(n::text, 6, '0'), 'cli_' || ${prefix} || ${client}, ${url},
        '{livestream.started}', '2026-01-01', '2026-01-01', ${attemptMs}::int from generate_series(1, ${size}::int) n returning id`)
    const ids = made.map(({ id }) => id)
    if (rows > 0) await deliveries(ids, rows, { lane })
    return ids
  }

  return { crowd, deliveries, clear: stage.withdraw }
}
