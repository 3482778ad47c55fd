import type { Context } from '../core/context.ts'
import { createdAtOf } from '../core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../core/paging.ts'
import type { AuditRecord } from './resources.ts'

/** A record as a row: when it was written is in its identifier. */
export type FoundRecord = Omit<AuditRecord, 'at'>

const LIST = 'audit'
const AFTER_ALL = 'aud_~'

/** SQL for the records about `$1` that are older than the record `$2`, newest first, at most `$3`; `origin` gives `ip` and `user_agent`. */
export const recordsAbout = (column: 'user_id' | 'client_id', origin: string) => `
  select id, action, actor_type, actor_id, user_id, client_id as application_id, target_id, request_id, details, ${origin}
    from audit_log
   where ${column} = $1 and id < $2
   order by id desc limit $3`

/** A page of what `find` reads, which is given the identifier to go on behind and how many rows to read. */
export async function pageOfRecords(
  ctx: Context,
  { limit, cursor }: PageRequest,
  find: (before: string, count: number) => Promise<FoundRecord[]>,
): Promise<Page<AuditRecord>> {
  const [before = AFTER_ALL] = decodeCursor(ctx, LIST, cursor) ?? []
  const found = await find(before, limit + 1)
  const shown = found.map((record) => ({ ...record, at: createdAtOf(record.id).toISOString() }))
  return toPage(ctx, LIST, shown, limit, ({ id }) => [id])
}
