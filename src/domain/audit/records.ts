import { readUpToDate } from '../../db/replica.ts'
import { statement } from '../../db/statement.ts'
import { ownerIdOf, requireOwnedApplication } from '../access/ownership.ts'
import type { AuditRecord } from '../accounts/resources.ts'
import type { OwnerContext, UserContext } from '../core/context.ts'
import { createdAtOf } from '../core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../core/paging.ts'

type FoundRecord = Omit<AuditRecord, 'at'>

const records = (column: 'user_id' | 'client_id', place: string) => `
  select id, action, actor_type, actor_id, user_id, client_id as application_id, target_id, request_id, details, ${place}
    from audit_log
   where ${column} = $1 and id < $2
   order by id desc limit $3`

const recordsOfUser = statement<[userId: string, before: string, count: number], FoundRecord>(
  records('user_id', 'host(ip) as ip, user_agent'),
)

/** From where people allowed an application, or their devices used it, is not its developer's business. */
const recordsOfApplication = statement<[id: string, before: string, count: number, reader: string | null], FoundRecord>(
  records(
    'client_id',
    `case when actor_id = $4 then host(ip) end as ip, case when actor_id = $4 then user_agent end as user_agent`,
  ),
)

const AFTER_ALL = 'aud_~'

/** What happened to the caller's account, its logins and what it allowed, newest first, for as long as it is kept. */
export async function listOwnAudit(ctx: UserContext, { limit, cursor }: PageRequest): Promise<Page<AuditRecord>> {
  const [before = AFTER_ALL] = decodeCursor(ctx, 'audit', cursor) ?? []
  const found = await readUpToDate(ctx, (db) => recordsOfUser(db, ctx.principal.userId, before, limit + 1))
  return pageOfRecords(ctx, found, limit)
}

/** What happened to an application of the caller's, its credentials and its grants, newest first. Throws `not_found`. */
export async function listApplicationAudit(
  ctx: OwnerContext,
  { application_id, limit, cursor }: PageRequest & { application_id: string },
): Promise<Page<AuditRecord>> {
  await requireOwnedApplication(ctx, application_id)
  const [before = AFTER_ALL] = decodeCursor(ctx, 'audit', cursor) ?? []
  const reader = ownerIdOf(ctx)
  const found = await readUpToDate(ctx, (db) => recordsOfApplication(db, application_id, before, limit + 1, reader))
  return pageOfRecords(ctx, found, limit)
}

function pageOfRecords(ctx: OwnerContext, found: readonly FoundRecord[], limit: number): Page<AuditRecord> {
  const shown = found.map((record) => ({ ...record, at: createdAtOf(record.id).toISOString() }))
  return toPage(ctx, 'audit', shown, limit, ({ id }) => [id])
}
