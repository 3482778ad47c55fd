import type { Database } from '../../db/client.ts'
import { statement } from '../../db/statement.ts'
import type { UsageCounts } from './counts.ts'

type Lists = [
  clientIds: readonly string[],
  hours: readonly string[],
  operations: readonly string[],
  requests: readonly string[],
  errors: readonly string[],
  limited: readonly string[],
  durationsMs: readonly string[],
]

/** Rows are locked in one order, so that processes that write at the same time do not deadlock. */
const addUsage = statement<Lists, never>(`
insert into client_usage as kept (client_id, hour, operation, requests, errors, limited, duration_ms)
select clients.id, hour::timestamptz, operation, requests::bigint, errors::bigint, limited::bigint, duration_ms::bigint
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    as added (client_id, hour, operation, requests, errors, limited, duration_ms)
  join clients on clients.id = added.client_id
 order by 1, 2, 3
   for key share of clients
on conflict (client_id, hour, operation) do update
   set requests = kept.requests + excluded.requests, errors = kept.errors + excluded.errors,
       limited = kept.limited + excluded.limited, duration_ms = kept.duration_ms + excluded.duration_ms`)

/**
 * Adds what this process has counted since the last write to the database, except for applications that were deleted.
 * If the write fails, the counts are kept for the next one. They are added twice when the connection is lost after the
 * commit, which is acceptable: usage is shown, not charged for.
 */
export async function writeUsage({ usage, slow }: { usage: UsageCounts; slow: Database }): Promise<void> {
  const taken = usage.take()
  if (taken.length === 0) return
  const list = (of: (entry: (typeof taken)[number]) => string | number) => taken.map((entry) => String(of(entry)))
  try {
    await addUsage(
      slow,
      list(({ clientId }) => clientId),
      list(({ hourMs }) => new Date(hourMs).toISOString()),
      list(({ operation }) => operation),
      list(({ requests }) => requests),
      list(({ errors }) => errors),
      list(({ limited }) => limited),
      list(({ durationMs }) => Math.round(durationMs)),
    )
  } catch (error) {
    usage.putBack(taken)
    throw error
  }
}
