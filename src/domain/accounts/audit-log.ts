import { statement } from '../../db/statement.ts'
import { type FoundRecord, originFor, pageOfRecords, recordsAbout } from '../audit/records.ts'
import type { AuditRecord } from '../audit/resources.ts'
import type { UserContext } from '../core/context.ts'
import type { Page, PageRequest } from '../core/paging.ts'
import { readInTurn } from '../core/turns/take-turn.ts'

const recordsOfUser = statement<[userId: string, before: string, count: number], FoundRecord>(
  recordsAbout('user_id', `${originFor('host(a.ip)')} as ip, ${originFor('a.user_agent')} as user_agent`),
)

/** What happened to the caller's account, its logins and what it allowed, newest first, for as long as it is kept. */
export async function listOwnAudit(ctx: UserContext, page: PageRequest): Promise<Page<AuditRecord>> {
  const { userId } = ctx.principal
  return pageOfRecords(ctx, page, (before, count) => readInTurn(ctx, (db) => recordsOfUser(db, userId, before, count)))
}
