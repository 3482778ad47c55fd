import type { Context } from '../core/context.ts'
import { createdAtOf } from '../core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../core/paging.ts'
import type { AuditRecord } from './resources.ts'

/** A record as a row: when it was written is in its identifier. */
export type FoundRecord = Omit<AuditRecord, 'at'>

const LIST = 'audit'
const AFTER_ALL = 'aud_~'

/** SQL for the host of an address: the rest of one may hold secrets. */
export const hostIn = (url: string): string => `substring(${url} from '://(?:[^/?#@]*@)?([^/?#]+)')`

/** What a person calls the target of a record `a`, while there is such a thing. */
const targetName = `coalesce(
    (select k.name from api_keys k where k.id = a.target_id),
    (select u.username from users u where u.id = a.target_id and a.action like 'member.%'),
    (select o.name from overlay_keys o where o.id = a.target_id),
    (select ${hostIn('s.url')} from webhook_subscriptions s where s.id = a.target_id))`

/** SQL for from where a record `a` was caused, as the user `$1` may know it: from where another person acted is that one's business. */
export const originFor = (column: 'host(a.ip)' | 'a.user_agent'): string =>
  `case when a.actor_type = 'user' and a.actor_id <> $1 then null else ${column} end`

/** SQL for the records about `$1` that are older than the record `$2`, newest first, at most `$3`; `origin` gives `ip` and `user_agent`. Names are looked up when it is known which: they would hide what finding them costs. */
export const recordsAbout = (column: 'user_id' | 'client_id', origin: string) => `
  select a.id, action, actor_type, actor_id, user_id, client_id as application_id, target_id, request_id, details, ${origin},
         (select c.name from clients c where c.id = a.client_id) as application_name,
         coalesce((select u.username from users u where u.id = a.actor_id),
                  (select c.name from clients c where c.id = a.actor_id)) as actor_name,
         ${targetName} as target_name
    from (select * from audit_log where ${column} = $1 and id < $2 order by id desc limit $3) a
   order by a.id desc`

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
