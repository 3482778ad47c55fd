import { statement } from '../../db/statement.ts'
import { ownerIdOf, requireApplication } from '../access/ownership.ts'
import { type FoundRecord, pageOfRecords, recordsAbout } from '../audit/records.ts'
import type { AuditRecord } from '../audit/resources.ts'
import type { OwnerContext } from '../core/context.ts'
import type { Page, PageRequest } from '../core/paging.ts'
import { readInTurn } from '../core/turns/take-turn.ts'

/** Only what the reader did shows from where: where others allowed or used an application is not its developer's business. */
const recordsOfApplication = statement<[id: string, before: string, count: number, reader: string | null], FoundRecord>(
  recordsAbout(
    'client_id',
    `case when actor_id = $4 then host(ip) end as ip, case when actor_id = $4 then user_agent end as user_agent`,
  ),
)

/** What happened to an application of the caller's, its credentials and its grants, newest first. Throws `not_found`. */
export async function listApplicationAudit(
  ctx: OwnerContext,
  { application_id: id, ...page }: PageRequest & { application_id: string },
): Promise<Page<AuditRecord>> {
  const { ownerId: owner } = await requireApplication(ctx, id)
  const reader = ownerIdOf(ctx)
  return pageOfRecords(ctx, page, (before, count) =>
    readInTurn(ctx, (db) => recordsOfApplication(db, id, before, count, reader), { owner }),
  )
}
