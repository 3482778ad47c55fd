import { statement } from '../../db/statement.ts'
import { requireApplication } from '../access/ownership.ts'
import type { OwnerContext } from '../core/context.ts'
import { createdAtOf } from '../core/ids.ts'
import { readInTurn } from '../core/turns/take-turn.ts'
import { type Period, periodBounds } from './period.ts'
import type { RequestSummary } from './resources.ts'

const SCANNED_MAX = 20_000
const GROUPS_MAX = 50

type FoundGroup = {
  operation: string
  status: number
  code: string | null
  count: number
  last_id: string
  last_message: string | null
}
type Values = [clientId: string, from: string, before: string, scannedMax: number, count: number]

/** The failures are read once, newest first, and counted afterwards; `total` says whether there were more. */
const selectGroups = statement<Values, FoundGroup & { total: number }>(`
with failed as materialized (
  select id, operation, status, code, message from request_log
   where client_id = $1 and id >= $2 and id < $3 and status >= 400 and status <> 499
   order by id desc limit $4::int)
select operation, status, code, count(*)::int as count, max(id) as last_id,
       (array_agg(message order by id desc))[1] as last_message, (select count(*)::int from failed) as total
  from failed group by operation, status, code order by count desc, last_id desc limit $5::int`)

const selectOmitted = statement<[clientId: string, from: Date, to: Date], { omitted: number }>(`
select coalesce(sum(failures), 0)::int as omitted from request_log_omissions
 where client_id = $1 and minute > $2::timestamptz - interval '1 minute' and minute < $3::timestamptz`)

/** What failed of an application of the caller's, most first, and how much of it was not kept. Throws `not_found`. */
export async function summarizeRequests(
  ctx: OwnerContext,
  input: Period & { application_id: string },
): Promise<RequestSummary> {
  const { application_id: clientId } = input
  const { ownerId: owner } = await requireApplication(ctx, clientId)
  const { from, before } = periodBounds(ctx, input)
  const until = input.to === undefined ? ctx.now() : createdAtOf(before)
  const [found, [counted]] = await readInTurn(
    ctx,
    async (db) =>
      [
        await selectGroups(db, clientId, from, before, SCANNED_MAX, GROUPS_MAX),
        await selectOmitted(db, clientId, createdAtOf(from), until),
      ] as const,
    { owner },
  )
  return {
    groups: found.map(({ last_id, total: _, ...group }) => ({ ...group, last_at: createdAtOf(last_id).toISOString() })),
    omitted: counted?.omitted ?? 0,
    is_cut: (found[0]?.total ?? 0) === SCANNED_MAX || found.length === GROUPS_MAX,
  }
}
