import { statement } from '../../db/statement.ts'
import type { GrantType } from '../../shared/grants.ts'
import { type ResourcePath, resourceAt } from '../../shared/resource-paths.ts'
import { holdSession } from '../access/account-locks.ts'
import { mint } from '../access/token-format.ts'
import { audit } from '../audit/audit.ts'
import type { Caller } from '../core/caller.ts'
import type { CalledContext, ClientDocumentSource, Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { isId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import { countAllOrRefuse, countOrRefuse, countsByAddress, rateLimits } from '../core/rate-limits.ts'
import type { Scope } from '../core/scopes.ts'
import { transact } from '../core/transaction.ts'
import { isDocumentUrl } from './client/client-documents.ts'
import { unlessDeleted } from './client/deleted-meanwhile.ts'
import { findUnregistered, UNREGISTERED_GRANTS, UNREGISTERED_SCOPES } from './client/unregistered.ts'
import type { Login } from './issue.ts'
import { CODE_LIFE } from './lifetimes.ts'
import { UNKNOWN_RESOURCE } from './resource-parameter.ts'
import { faultOfScope, scopesWithin } from './scope-parameter.ts'

/** What the consent page shows of a client, and what its authorization request is validated against. */
export type AuthorizingClient = {
  id: string
  name: string
  websiteUrl: string | null
  /** The username of the owner; null when the operator registered it. */
  developer: string | null
  isConfidential: boolean
  /**
   * What is redirected to it before anybody is logged in (RFC 9700, section 4.11.2): every error to applications of the operator, and
   * of owners with a verified address; those of the demonstration are told in this way only that somebody has to log in.
   */
  trust: 'full' | 'demo' | 'none'
  isDpopBound: boolean
  grantTypes: readonly GrantType[]
  scopes: readonly Scope[]
  redirectUris: readonly string[]
  /** Of the address at which an application that is not registered here describes itself. */
  host?: string
}

const TRUST = `case when c.metadata_url is not null then 'none' when c.owner_id is null then 'full'
  when u.email_verified_at is null then 'none' when u.email like '%@demo.example' then 'demo' else 'full' end`

const findClientById = statement<[id: string], AuthorizingClient>(`
  select c.id, c.name, c.website_url as "websiteUrl", u.username as developer, c.confidential as "isConfidential",
         c.dpop_bound as "isDpopBound", ${TRUST} as trust,
         c.grant_types as "grantTypes", c.scopes,
         array(select uri from client_redirect_uris r where r.client_id = c.id order by uri) as "redirectUris"
    from clients c
    left join users u on u.id = c.owner_id
   where c.id = $1 and c.disabled_at is null`)

/**
 * The client with this identifier; undefined when it is unknown or disabled. One that describes itself is fetched: throws what that
 * does, and `rate_limited` for a network that names too many which nobody has named before.
 */
export async function findAuthorizingClient(ctx: CalledContext, id: string): Promise<AuthorizingClient | undefined> {
  const { db, clientDocuments } = ctx
  if (clientDocuments && isDocumentUrl(id)) return describeUnregistered(ctx, clientDocuments, id)
  const [found] = isId('client', id) ? await findClientById(db, id) : []
  return found
}

/** An application that is not registered here is public, and nobody vouches for it. */
async function describeUnregistered(ctx: CalledContext, documents: ClientDocumentSource, id: string) {
  const known = await findUnregistered(ctx, id)
  if (known?.is_disabled) return undefined
  const isAllowed = known !== undefined
  const { address } = ctx.caller
  if (!documents.isKept(id, isAllowed))
    await countAllOrRefuse(ctx, countsByAddress(rateLimits.clientDocuments, address), TOO_MANY_UNKNOWN)
  const { host, name, redirectUris } = await documents.find(id, { address, isAllowed })
  const fixed = { isConfidential: false, isDpopBound: false, developer: null, websiteUrl: null, trust: 'none' } as const
  return { ...fixed, id, host, name, redirectUris, grantTypes: UNREGISTERED_GRANTS, scopes: UNREGISTERED_SCOPES }
}

const TOO_MANY_UNKNOWN = 'Too many applications that are not registered here: wait a while before you try again.'

/** Counts an authorization request, or the answer to one: by who is logged in, else by address. Throws `rate_limited`. */
export async function countAuthorization(ctx: CalledContext, session: { id: string } | undefined): Promise<void> {
  const words = 'Too many requests: wait a while before you try again.'
  if (session) return countOrRefuse(ctx, rateLimits.authorizationSession, session.id, words)
  await countAllOrRefuse(ctx, countsByAddress(rateLimits.authorizationAddress, ctx.caller.address), words)
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
  | 'invalid_target'
  | 'login_required'
  | 'consent_required'

export type AuthorizationRefusal = { error: AuthorizationError; description: string }
/** `jkt` is the thumbprint of the key that will exchange the code (RFC 9449, section 10). */
export type AuthorizationRequest = {
  scopes: Scope[]
  challenge: string
  jkt?: string | undefined
  /** Goes into the ID token as it came (OpenID Connect Core, section 3.1.2.1). */
  nonce?: string | undefined
  resource?: ResourcePath | undefined
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/**
 * Validates a request whose client and redirect address have been validated already. Returns what is asked for, or the
 * error to send back to the client.
 */
export function validateAuthorization(
  ctx: Context,
  client: AuthorizingClient,
  query: AuthorizationQuery,
): AuthorizationRequest | AuthorizationRefusal {
  const { scope, nonce } = query
  const refusal = refusalOfKind(client, query) ?? refusalOfProof(client, query)
  if (refusal) return refusal
  const fault = faultOfScope(scope, client.scopes)
  if (fault !== undefined) return refuseAuthorization('invalid_scope', fault)
  if ((nonce?.length ?? 0) > NONCE_LENGTH_MAX)
    return refuseAuthorization('invalid_request', `nonce: must have at most ${NONCE_LENGTH_MAX} characters`)
  const resource = requestedResource(ctx, query)
  if (resource === 'unknown') return refuseAuthorization('invalid_target', UNKNOWN_RESOURCE)
  const { code_challenge: challenge = '' } = query // there is one, or it was refused
  return { scopes: scopesWithin(scope, client.scopes), challenge, jkt: requestedJkt(client, query), nonce, resource }
}

const NONCE_LENGTH_MAX = 512

function refusalOfKind({ grantTypes }: AuthorizingClient, { response_type }: AuthorizationQuery) {
  if (response_type === undefined) return refuseAuthorization('invalid_request', 'response_type: is required')
  if (response_type !== 'code') return refuseAuthorization('unsupported_response_type', 'response_type: must be code')
  if (grantTypes.includes('authorization_code')) return undefined
  return refuseAuthorization('unauthorized_client', 'The client is not registered for the grant authorization_code')
}

/** Of the keys by which the client will prove that the code is its own (RFC 7636; RFC 9449, section 10). */
function refusalOfProof(client: AuthorizingClient, query: AuthorizationQuery) {
  const { code_challenge: challenge, code_challenge_method: method } = query
  if (challenge === undefined) return refuseAuthorization('invalid_request', 'code_challenge: is required')
  if (method !== 'S256') return refuseAuthorization('invalid_request', 'code_challenge_method: must be S256')
  if (!CHALLENGE.test(challenge))
    return refuseAuthorization('invalid_request', 'code_challenge: must be 43 of base64url')
  if (CHALLENGE.test(requestedJkt(client, query) ?? challenge)) return undefined
  return refuseAuthorization('invalid_request', 'dpop_jkt: must be 43 of base64url')
}

function requestedResource({ publicUrl }: Context, { resource: address }: AuthorizationQuery) {
  return address === undefined ? undefined : (resourceAt(publicUrl, address) ?? 'unknown')
}

const requestedJkt = ({ isDpopBound }: AuthorizingClient, { dpop_jkt }: AuthorizationQuery) =>
  isDpopBound ? dpop_jkt : undefined

export const refuseAuthorization = (error: AuthorizationError, description: string): AuthorizationRefusal => ({
  error,
  description,
})

type CodeToIssue = AuthorizationRequest & {
  clientId: string
  userId: string
  redirectUri: string
  login?: Login | undefined
  /** In which it was allowed. */
  session?: { id: string }
}

type Values = [
  hash: Buffer,
  clientId: string,
  userId: string,
  redirectUri: string,
  scopes: Scope[],
  challenge: string,
  jkt: string | null,
  nonce: string | null,
  authenticatedAt: Date | null,
  amr: readonly string[] | null,
  resource: ResourcePath | null,
]

const insertCode = statement<Values, never>(`
  insert into authorization_codes (hash, client_id, user_id, redirect_uri, scopes, code_challenge, dpop_jkt, nonce,
                                   authenticated_at, amr, resource, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9::timestamptz, $10::text[], $11, statement_timestamp() + interval '${CODE_LIFE}')`)

/**
 * Issues a code for what a user has allowed to a client. It can be exchanged once, within a minute. Throws `invalid_token` when the session
 * that has allowed it has ended meanwhile: what a client says of itself may have been waited for; `invalid_request` for a client that was
 * just deleted.
 */
export async function issueCode(ctx: Context & { caller: Caller }, issue: CodeToIssue): Promise<string> {
  const { clientId, userId, redirectUri, scopes, challenge, jkt = null } = issue
  const { login, session, nonce = null, resource = null } = issue
  const [authenticatedAt, amr] = [login?.authenticatedAt ?? null, login?.amr ?? null]
  const code = mint('code')
  const allowed = [scopes, challenge, jkt, nonce, authenticatedAt, amr, resource] as const
  const issued = transact(ctx, async (tx) => {
    await holdSession(tx, session)
    await insertCode(tx.db, sha256(code), clientId, userId, redirectUri, ...allowed)
    const actor = { type: 'user', id: userId } as const
    await audit(tx, { actor, action: 'grant.allowed', userId, clientId, details: { scopes } })
  })
  await unlessDeleted(issued, () => new Problem('invalid_request', 'client_id: this application was just deleted.'))
  return code
}
