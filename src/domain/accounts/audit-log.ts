import { statement } from '../../db/statement.ts'
import { type FoundRecord, pageOfRecords, recordsAbout } from '../audit/records.ts'
import type { AuditRecord } from '../audit/resources.ts'
import type { UserContext } from '../core/context.ts'
import type { Page, PageRequest } from '../core/paging.ts'
import { readInTurn } from '../core/turns/take-turn.ts'

/** From where another person acted on them, as who took them out of an application, is that one's business. */
const isAnother = `actor_type = 'user' and actor_id <> $1`
const recordsOfUser = statement<[userId: string, before: string, count: number], FoundRecord>(
  recordsAbout(
    'user_id',
    `case when ${isAnother} then null else host(ip) end as ip, case when ${isAnother} then null else user_agent end as user_agent`,
  ),
)

/** What happened to the caller's account, its logins and what it allowed, newest first, for as long as it is kept. */
export async function listOwnAudit(ctx: UserContext, page: PageRequest): Promise<Page<AuditRecord>> {
  const { userId } = ctx.principal
  return pageOfRecords(ctx, page, (before, count) => readInTurn(ctx, (db) => recordsOfUser(db, userId, before, count)))
}
