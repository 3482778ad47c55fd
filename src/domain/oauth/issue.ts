import { statement } from '../../db/statement.ts'
import type { ResourcePath } from '../../shared/resource-paths.ts'
import { mint } from '../access/token-format.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { newId } from '../core/ids.ts'
import type { TokenResponse } from '../core/resources.ts'
import type { Scope } from '../core/scopes.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { ACCESS_TOKEN_LIFE, GRANT_LIFE, REFRESH_TOKEN_LIFE } from './lifetimes.ts'
import { tokenResponse } from './token-response.ts'

/** `authenticatedAt`: when a user last proved who they are, and `amr`: how (RFC 8176). */
export type Login = { authenticatedAt: Date; amr: readonly string[] }

export type NewGrant = {
  clientId: string
  userId: string
  scopes: readonly Scope[]
  isRefreshable: boolean
  /** How and when its user had logged in to the session that allowed it. */
  login?: Login | undefined
  /** The resource that it was allowed for, and the one that this first access token is for. */
  resource?: ResourcePath | null
  tokenResource?: ResourcePath | null
  /** The code that is exchanged for it; undefined when the grant does not come from a code. */
  codeHash?: Buffer
  /** The thumbprints of the keys that the access token, and every refresh, are bound to (RFC 9449). */
  jkt?: string | null
  refreshJkt?: string | null
}

type Values = [
  grantId: string,
  clientId: string,
  userId: string,
  scopes: readonly Scope[],
  createdAt: string,
  accessHash: Buffer,
  refreshHash: Buffer | null,
  codeHash: Buffer | null,
  jkt: string | null,
  refreshJkt: string | null,
  authenticatedAt: Date | null,
  amr: readonly string[] | null,
  resource: ResourcePath | null,
  tokenResource: ResourcePath | null,
]

const insertGrant = statement<Values, never>(`
  with new_grant as (
    insert into grants (id, client_id, user_id, scopes, dpop_jkt, created_at, expires_at, authenticated_at, amr, resource)
    values ($1, $2, $3, $4, $10, $5::timestamptz, statement_timestamp() + interval '${GRANT_LIFE}', $11::timestamptz, $12::text[], $13)
  ), code as (
    update authorization_codes set consumed_at = statement_timestamp(), grant_id = $1 where hash = $8
  ), refresh as (
    insert into refresh_tokens (hash, grant_id, expires_at)
    select $7, $1, statement_timestamp() + interval '${REFRESH_TOKEN_LIFE}' where $7::bytea is not null
  )
  insert into access_tokens (hash, client_id, user_id, grant_id, scopes, dpop_jkt, resource, expires_at)
  values ($6, $2, $3, $1, $4, $9, $14, statement_timestamp() + interval '${ACCESS_TOKEN_LIFE}')`)

/**
 * Creates a grant with its first access token and, if it is refreshable, a refresh token, and marks the code that it comes
 * from as consumed. Each exchange creates a grant of its own, so that a phone and a laptop can be revoked apart.
 */
export async function startGrant(tx: InTransaction, grant: NewGrant): Promise<TokenResponse> {
  const { clientId, userId, scopes, isRefreshable, codeHash = null, jkt = null, refreshJkt = null } = grant
  const { login, resource = null, tokenResource = resource } = grant
  const access = mint('access')
  const refresh = isRefreshable ? mint('refresh') : undefined
  const now = tx.now()
  const refreshHash = refresh === undefined ? null : sha256(refresh)
  await insertGrant(
    tx.db,
    newId('grant', now),
    clientId,
    userId,
    scopes,
    now.toISOString(),
    sha256(access),
    refreshHash,
    codeHash,
    jkt,
    refreshJkt,
    login?.authenticatedAt ?? null,
    login?.amr ?? null,
    resource,
    tokenResource,
  )
  return tokenResponse(access, scopes.join(' '), { refreshToken: refresh, jkt })
}

/** Issues a user's tokens without a consent page, for demo data and tests. User and client must exist. */
export async function issueDirectly(
  ctx: Context,
  { clientId, userId, scopes }: { clientId: string; userId: string; scopes: readonly Scope[] },
): Promise<TokenResponse> {
  return transact(ctx, (tx) => startGrant(tx, { clientId, userId, scopes, isRefreshable: true }))
}
