import { statement } from '../../db/statement.ts'
import type { ResourcePath } from '../../shared/resource-paths.ts'
import { bindingOf } from '../access/dpop-proof.ts'
import { mint } from '../access/token-format.ts'
import { requireGrantType, unregistered } from '../applications/grant-types.ts'
import type { CalledContext } from '../core/context.ts'
import { sha256Hex } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { rateLimits } from '../core/rate-limits.ts'
import { noteClient } from '../core/request-record.ts'
import type { TokenResponse } from '../core/resources.ts'
import { apiScopesIn, isApiScope } from '../core/scopes.ts'
import {
  authenticateClient,
  type Client,
  findProven,
  IS_AUTHENTIC,
  isProven,
  type LookUp,
  lookUpOf,
  type PresentedClient,
  refuseThrottled,
  rejectClient,
  SELECT_PRESENTED_CLIENT,
} from './client/authenticate-client.ts'
import type { PresentedCredentials } from './client/presented-credentials.ts'
import { defineGrant } from './grant.ts'
import { withinIssueLimit } from './issue-limit.ts'
import { ACCESS_TOKEN_LIFE } from './lifetimes.ts'
import { isKnownResource, readResource, resourceParameter } from './resource-parameter.ts'
import { faultOfScope, parseScope, scopeParameter } from './scope-parameter.ts'
import { tokenResponse } from './token-response.ts'

type Issued = PresentedClient & { is_registered: boolean; dpop_bound: boolean; scope: string | null }
type Values = [...LookUp, tokenHash: string, scope: string | null, jkt: string | null, resource: ResourcePath | null]

/** Issues the token only if every check passes, in one round trip; the other columns say which check failed. */
const issueIfRight = statement<Values, Issued>(`
  with client as (
    select c.id as client_id, c.confidential, ${IS_AUTHENTIC} as is_authentic, ${apiScopesIn('c.scopes')} as client_scopes, c.dpop_bound,
           coalesce('client_credentials' = any (c.grant_types), false) as is_registered
      from ${SELECT_PRESENTED_CLIENT}
  ), token as (
    insert into access_tokens (hash, client_id, scopes, dpop_jkt, resource, expires_at)
    select decode($4, 'hex'), client_id, coalesce(string_to_array($5, ' '), client_scopes), $6, $7, statement_timestamp() + interval '${ACCESS_TOKEN_LIFE}'
      from client
     where is_authentic and confidential and is_registered and dpop_bound = ($6::text is not null)
       and coalesce(string_to_array($5, ' '), client_scopes) <@ client_scopes and cardinality(client_scopes) > 0
    returning scopes
  )
  select client_id, confidential, is_authentic, is_registered, dpop_bound, array_to_string(token.scopes, ' ') as scope
    from client left join token on true`)

/**
 * RFC 6749, section 4.4: a token for the application itself, without a refresh token. Authenticates the client in the
 * statement that issues, with the same answers as the other grants: `rate_limited`, `invalid_client`,
 * `unauthorized_client`, `invalid_scope`.
 */
export const clientCredentialsGrant = defineGrant({
  grantType: 'client_credentials',
  parameters: { scope: scopeParameter, resource: resourceParameter },

  async exchange(ctx, presented, parameters) {
    const { id } = presented
    const issue = () => issueToApplication(ctx, presented, parameters)
    if (id === undefined) return issue()
    return withinIssueLimit(ctx, rateLimits.applicationTokens, id, issue, () => authenticateClient(ctx, presented))
  },
})

async function issueToApplication(
  ctx: CalledContext,
  presented: PresentedCredentials,
  { scope, resource: address }: { scope?: string | undefined; resource?: string | undefined },
): Promise<TokenResponse> {
  await refuseThrottled(ctx, presented)
  const values = await lookUpOf(ctx, presented)
  const prove = async () => {
    const client = await findProven(ctx, presented, values)
    requireGrantType(client, 'client_credentials')
    return client
  }
  if (!isKnownResource(ctx, address)) await prove() // the client, and what it is registered for, come before its parameters
  const resource = readResource(ctx, address)
  const jkt = ctx.caller.dpop ? await bindingOf(ctx, await prove()) : null
  const token = mint('access')
  const [found] = values
    ? await issueIfRight(ctx.db, ...values, sha256Hex(token), wantedScope(scope), jkt, resource ?? null)
    : []
  if (!found || !isProven(found, presented)) return rejectClient(ctx, presented)
  noteClient(ctx.caller, found.client_id)

  if (!found.is_registered) throw unregistered('client_credentials')
  if (jkt === null) await bindingOf(ctx, { isDpopBound: found.dpop_bound })
  if (found.scope === null) return refuseScope(scope, await prove())
  return tokenResponse(token, found.scope, { jkt })
}

/** The statement says only that it issued nothing. */
function refuseScope(scope: string | undefined, { scopes }: Client): never {
  throw new Problem(
    'invalid_scope',
    faultOfScope(scope, scopes.filter(isApiScope)) ?? 'scope: has changed meanwhile; ask again.',
  )
}

const NO_SCOPE = '-' // no client is registered for it, so the statement issues nothing

/** With spaces between, which is cheaper to pass than a list. Null stands for all that the client is registered for. */
function wantedScope(scope: string | undefined): string | null {
  return scope === undefined ? null : (parseScope(scope)?.join(' ') ?? NO_SCOPE)
}
