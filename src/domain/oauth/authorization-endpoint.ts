import { statement } from '../../db/statement.ts'
import type { GrantType } from '../../shared/grants.ts'
import { mint } from '../access/token-format.ts'
import { audit } from '../audit/audit.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { isId } from '../core/ids.ts'
import type { Scope } from '../core/scopes.ts'
import { transact } from '../core/transaction.ts'
import { CODE_LIFE } from './lifetimes.ts'
import { faultOfScope, scopesWithin } from './scope-parameter.ts'

/** What the consent page shows of a client, and what its authorization request is validated against. */
export type AuthorizingClient = {
  id: string
  name: string
  websiteUrl: string | null
  /** The username of the owner; null when the operator registered it. */
  developer: string | null
  isConfidential: boolean
  isDpopBound: boolean
  grantTypes: readonly GrantType[]
  scopes: readonly Scope[]
  redirectUris: readonly string[]
}

const findClientById = statement<[id: string], AuthorizingClient>(`
  select c.id, c.name, c.website_url as "websiteUrl", u.username as developer, c.confidential as "isConfidential",
         c.dpop_bound as "isDpopBound",
         c.grant_types as "grantTypes", c.scopes,
         array(select uri from client_redirect_uris r where r.client_id = c.id order by uri) as "redirectUris"
    from clients c
    left join users u on u.id = c.owner_id
   where c.id = $1 and c.disabled_at is null`)

/** The client with this identifier; undefined when it is unknown or disabled. */
export async function findAuthorizingClient({ db }: Context, id: string): Promise<AuthorizingClient | undefined> {
  const [found] = isId('client', id) ? await findClientById(db, id) : []
  return found
}

/** The parameters of an authorization request: none is repeated, none is empty. */
export type AuthorizationQuery = Readonly<Record<string, string | undefined>>

/** The values of `error` in a redirect back to the client (RFC 6749, section 4.1.2.1; OpenID Connect, section 3.1.2.6). */
export type AuthorizationError =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'login_required'
  | 'consent_required'

export type AuthorizationRefusal = { error: AuthorizationError; description: string }
/** `jkt` is the thumbprint of the key that will exchange the code (RFC 9449, section 10). */
export type AuthorizationRequest = { scopes: Scope[]; challenge: string; jkt?: string | undefined }

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/**
 * Validates a request whose client and redirect address have been validated already. Returns what is asked for, or the
 * error to send back to the client.
 */
export function validateAuthorization(
  client: AuthorizingClient,
  query: AuthorizationQuery,
): AuthorizationRequest | AuthorizationRefusal {
  const { response_type, code_challenge: challenge, code_challenge_method: method, scope } = query
  if (response_type === undefined) return refuseAuthorization('invalid_request', 'response_type: is required')
  if (response_type !== 'code') return refuseAuthorization('unsupported_response_type', 'response_type: must be code')
  if (!client.grantTypes.includes('authorization_code')) {
    return refuseAuthorization('unauthorized_client', 'The client is not registered for the grant authorization_code')
  }
  if (challenge === undefined) return refuseAuthorization('invalid_request', 'code_challenge: is required')
  if (method !== 'S256') return refuseAuthorization('invalid_request', 'code_challenge_method: must be S256')
  if (!CHALLENGE.test(challenge))
    return refuseAuthorization('invalid_request', 'code_challenge: must be 43 of base64url')
  const jkt = requestedJkt(client, query)
  if (!CHALLENGE.test(jkt ?? challenge))
    return refuseAuthorization('invalid_request', 'dpop_jkt: must be 43 of base64url')
  const fault = faultOfScope(scope, client.scopes)
  if (fault !== undefined) return refuseAuthorization('invalid_scope', fault)
  return { scopes: scopesWithin(scope, client.scopes), challenge, jkt }
}

const requestedJkt = ({ isDpopBound }: AuthorizingClient, { dpop_jkt }: AuthorizationQuery) =>
  isDpopBound ? dpop_jkt : undefined

export const refuseAuthorization = (error: AuthorizationError, description: string): AuthorizationRefusal => ({
  error,
  description,
})

type CodeToIssue = AuthorizationRequest & { clientId: string; userId: string; redirectUri: string }

type Values = [
  hash: Buffer,
  clientId: string,
  userId: string,
  redirectUri: string,
  scopes: Scope[],
  challenge: string,
  jkt: string | null,
]

const insertCode = statement<Values, never>(`
  insert into authorization_codes (hash, client_id, user_id, redirect_uri, scopes, code_challenge, dpop_jkt, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, statement_timestamp() + interval '${CODE_LIFE}')`)

/** Issues a code for what a user has allowed to a client. It can be exchanged once, within a minute. */
export async function issueCode(ctx: Context & { caller: Caller }, issue: CodeToIssue): Promise<string> {
  const { clientId, userId, redirectUri, scopes, challenge, jkt = null } = issue
  const code = mint('code')
  await transact(ctx, async (tx) => {
    await insertCode(tx.db, sha256(code), clientId, userId, redirectUri, scopes, challenge, jkt)
    const actor = { type: 'user', id: userId } as const
    await audit(tx, { actor, action: 'grant.allowed', userId, clientId, details: { scopes } })
  })
  return code
}
