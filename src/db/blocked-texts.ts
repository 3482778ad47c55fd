import type { Sql } from 'postgres'

/** `track_activity_query_size` bytes of each are kept, and none without `track_activities`; those of other roles are hidden. */
const selectBlocked = `
select distinct query from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'relation' and query <> ''`

/** The beginnings of the texts that wait for a lock on a table, and not for a row, a disk or their turn. */
export async function blockedTexts(client: Sql): Promise<string[]> {
  const found = await client.unsafe<{ query: string }[]>(selectBlocked)
  return found.map(({ query }) => query)
}
