import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { newId } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'
import { countOrRefuse, rateLimits } from '../../core/rate-limits.ts'
import { type Scope, scopes } from '../../core/scopes.ts'

/** What an application that describes itself may do: ask people, like any public one. */
export const UNREGISTERED_GRANTS = ['authorization_code', 'refresh_token'] as const
export const UNREGISTERED_SCOPES: readonly Scope[] = scopes

type Row = { id: string; is_disabled: boolean }

const findByUrl = statement<[url: string], Row>(
  'select id, disabled_at is not null as is_disabled from clients where metadata_url = $1',
)

/** The identifier under which we know it; undefined until somebody has allowed it something. */
export async function findUnregistered({ db }: Context, url: string): Promise<Row | undefined> {
  const [found] = await findByUrl(db, url)
  return found
}

type Values = [
  id: string,
  name: string,
  website: string,
  grants: string[],
  scopes: readonly Scope[],
  url: string,
  at: Date,
]

const upsert = statement<Values, Row>(`
  insert into clients (id, name, website_url, confidential, grant_types, scopes, auth_method, metadata_url, created_at, updated_at)
  values ($1, $2, $3, false, $4, $5, 'none', $6, $7::timestamptz, $7::timestamptz)
  on conflict (metadata_url) do update set name = excluded.name, updated_at = excluded.updated_at
  returning id, disabled_at is not null as is_disabled`)

/**
 * Keeps an application that somebody allows something, and not before, so that strangers cannot fill the table, nor somebody with an account who
 * allows whatever they make up. Throws `rate_limited`, `invalid_request`.
 */
export async function keepUnregistered(
  ctx: Context,
  { userId }: { userId: string },
  { id: url, name }: { id: string; name: string },
): Promise<string> {
  if (!(await findUnregistered(ctx, url))) await countOrRefuse(ctx, rateLimits.newClients, userId, TOO_MANY_NEW)
  const at = ctx.now()
  const grants = [...UNREGISTERED_GRANTS]
  const kept = [newId('client', at), name, new URL(url).origin, grants, UNREGISTERED_SCOPES, url, at] as const
  const [row] = await upsert(ctx.db, ...kept)
  if (!row || row.is_disabled)
    throw new Problem('invalid_request', 'client_id: the operator has stopped this application.')
  return row.id
}

const TOO_MANY_NEW = 'You have allowed many applications that nobody else has: try again tomorrow.'
