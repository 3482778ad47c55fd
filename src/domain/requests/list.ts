import { statement } from '../../db/statement.ts'
import { requireApplication } from '../access/ownership.ts'
import type { OwnerContext } from '../core/context.ts'
import { createdAtOf } from '../core/ids.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../core/paging.ts'
import { readInTurn } from '../core/turns/take-turn.ts'
import { type Period, periodBounds } from './period.ts'
import type { LoggedRequest } from './resources.ts'

/** `failed`: everything from 400 on. A number: exactly this status. */
type StatusFilter = 'failed' | '2xx' | '4xx' | '5xx' | number

export type RequestFilter = PageRequest &
  Period & {
    application_id: string
    status?: StatusFilter | undefined
    code?: string | undefined
    operation?: string | undefined
    /** The API key or the grant. */
    credential_id?: string | undefined
    /** Anywhere in the identifier, the message, or what was sent. */
    text?: string | undefined
  }

/** So many rows are looked at for a page: where few of them are wanted a page may be short, or empty, and have a next one. */
const SCANNED_MAX = 20_000

type Found = Omit<LoggedRequest, 'at'>
/** Every row tells how far was looked; the only one of an empty page has nothing else. */
type Row = { scanned: number; last_id: string | null } & (Found | { id: null })
type Values = [
  clientId: string,
  before: string,
  from: string,
  scannedMax: number,
  lowest: number,
  highest: number,
  code: string | null,
  operation: string | null,
  credentialId: string | null,
  text: string | null,
  count: number,
]

const selectRequests = statement<Values, Row>(`
select scan.scanned, scan.last_id, wanted.* from (
  select count(*)::int as scanned, min(id) as last_id from (
    select id from request_log where client_id = $1 and id < $2 and id >= $3 order by id desc limit $4::int) as looked_at
) as scan
left join lateral (
  select id, request_id, operation, status, code, message, credential_id, duration_ms, abbrev(address) as address, sent
    from request_log
   where client_id = $1 and id < $2 and id >= $3 and id >= scan.last_id and status between $5::int and $6::int
     and ($7::text is null or code = $7) and ($8::text is null or operation = $8)
     and ($9::text is null or credential_id = $9)
     and ($10::text is null or position($10 in lower(concat_ws(' ', request_id, operation, message, sent))) > 0)
   order by id desc limit $11::int) as wanted on true
order by wanted.id desc`)

/**
 * The requests of an application of the caller's, newest first. A page may have fewer requests than asked for, or none, and a next
 * one. Throws `not_found`.
 */
export async function listRequests(ctx: OwnerContext, filter: RequestFilter): Promise<Page<LoggedRequest>> {
  const { application_id: clientId, limit, cursor, status, code, operation, credential_id, text } = filter
  const { ownerId: owner } = await requireApplication(ctx, clientId)
  const list = `requests ${clientId}`
  const { from, before } = periodBounds(ctx, filter)
  const [after = before] = decodeCursor(ctx, list, cursor) ?? []
  const isFiltered = [status, code, operation, credential_id, text].some((one) => one !== undefined)
  const [lowest, highest] = rangeOf(status)
  const rows = await readInTurn(
    ctx,
    (db) =>
      selectRequests(
        db,
        clientId,
        after,
        from,
        isFiltered ? SCANNED_MAX : limit + 1,
        lowest,
        highest,
        code ?? null,
        operation ?? null,
        credential_id ?? null,
        text?.toLowerCase() ?? null,
        limit + 1,
      ),
    { owner },
  )
  const found = rows.filter((row) => row.id !== null)
  const items = found.slice(0, limit).map(shown)
  const [{ scanned, last_id } = { scanned: 0, last_id: null }] = rows
  const end = found.length > limit ? items.at(-1)?.id : isFiltered && scanned === SCANNED_MAX ? last_id : undefined
  return { items, next: end ? encodeCursor(ctx, list, [end]) : null }
}

function shown({ scanned: _, last_id: __, ...found }: Row & Found): LoggedRequest {
  return { ...found, at: createdAtOf(found.id).toISOString() }
}

function rangeOf(status: StatusFilter | undefined): [lowest: number, highest: number] {
  switch (status) {
    case undefined:
      return [0, 999]
    case 'failed':
      return [400, 999]
    case '2xx':
      return [200, 299]
    case '4xx':
      return [400, 499]
    case '5xx':
      return [500, 599]
    default:
      return [status, status]
  }
}
