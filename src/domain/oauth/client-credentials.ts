import { statement } from '../../db/statement.ts'
import { sha256 } from '../digest.ts'
import type { TokenResponse } from '../resources.ts'
import type { Scope } from '../scopes.ts'
import {
  type CalledContext,
  CLAIMED_CLIENT,
  type ClaimedClient,
  clientOf,
  isProven,
  lookUpOf,
  refuseThrottled,
  rejectClient,
} from './authenticate-client.ts'
import type { Claim } from './claim-client.ts'
import { requireGrantType } from './grant-types.ts'
import { ACCESS_TOKEN_LIFE } from './lifetimes.ts'
import { parseScope, refusedScope } from './requested-scope.ts'
import { tokenResponse } from './token-response.ts'
import { mint } from './tokens.ts'

type Values = [clientId: string, secretHash: Buffer | null, tokenHash: Buffer, scopes: readonly string[] | null]

/** Issues the token only where all is right, so that one round trip is enough; its other columns say what was not. */
const issueIfRight = statement<Values, ClaimedClient & { scopes: Scope[] | null }>(`
  with client as (
    select c.id as client_id, c.confidential, c.grant_types, c.scopes as client_scopes, s.id is not null as is_secret_right
      from ${CLAIMED_CLIENT}
  ), token as (
    insert into access_tokens (hash, client_id, scopes, expires_at)
    select $3, client_id, coalesce($4::text[], client_scopes), statement_timestamp() + interval '${ACCESS_TOKEN_LIFE}'
      from client
     where is_secret_right and confidential and 'client_credentials' = any (grant_types)
       and coalesce($4::text[], client_scopes) <@ client_scopes and cardinality(client_scopes) > 0
    returning scopes
  )
  select client.*, token.scopes from client left join token on true`)

/**
 * RFC 6749, section 4.4: a token for the application itself, without a refresh token. Authenticates the client too, with
 * the same answers as the other grants: `rate_limited`, `invalid_client`, `unauthorized_client`, `invalid_scope`.
 */
export async function issueForClient(
  ctx: CalledContext,
  claim: Claim,
  { scope }: { scope?: string | undefined },
): Promise<TokenResponse> {
  await refuseThrottled(ctx, claim)
  const values = lookUpOf(claim)
  const token = mint('access')
  const [found] = values ? await issueIfRight(ctx.db, ...values, sha256(token), wantedScopes(scope)) : []
  if (!found || !isProven(found, claim)) return rejectClient(ctx, claim)

  const client = clientOf(found)
  requireGrantType(client, 'client_credentials')
  if (found.scopes === null) throw refusedScope()
  return tokenResponse(token, found.scopes)
}

const NO_SCOPE = [''] // registered nowhere, so the statement issues nothing

/** Null stands for all that the client is registered for. */
function wantedScopes(scope: string | undefined): string[] | null {
  return scope === undefined ? null : (parseScope(scope) ?? NO_SCOPE)
}
