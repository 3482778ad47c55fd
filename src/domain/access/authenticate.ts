import { statement } from '../../db/statement.ts'
import type { ResourcePath } from '../../shared/resource-paths.ts'
import type { Principal, UserPrincipal } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import type { Context, FoundPrincipal } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { type EndedCredential, noteEnded } from '../core/request-record.ts'
import { type Scope, scopes } from '../core/scopes.ts'
import { holdsKey } from './dpop-proof.ts'
import { findSession } from './sessions.ts'
import { isWellFormed } from './token-format.ts'

/**
 * The principal behind a bearer credential: a user or an application for an access token, an application for a key. Read
 * from the primary, so what was revoked is refused on the next request; `CredentialCache` says what may be remembered.
 * Throws `invalid_token`, also for a token that is bound to a key; whose credential it was that has ended is noted for `caller`.
 */
export async function authenticate(ctx: Context, bearer: string, caller?: Caller): Promise<Principal> {
  const principal = await principalBy(ctx, bearer, caller)
  if (!principal) throw new Problem('invalid_token', 'The credential is invalid, expired or revoked.')
  if (principal.boundTo !== undefined) throw unproven('This token is bound to a key: send it with the scheme DPoP.')
  return principal
}

/**
 * The principal behind a token that is bound to a key (RFC 9449, section 7.1), proved at each request: the cache
 * remembers whom the token stands for, never that somebody proved the key. Throws `invalid_token`, also for a token
 * without a key, and `rate_limited` after too many proofs that failed.
 */
export async function authenticateHolder(ctx: Context, token: string, caller: Caller): Promise<Principal> {
  const principal = await principalBy(ctx, token, caller)
  const jkt = principal?.boundTo
  if (!principal || jkt === undefined) throw unproven('The token is invalid, expired, revoked, or not bound to a key.')
  if (await holdsKey(ctx, caller, { jkt, token })) return principal
  throw unproven('DPoP: must be a fresh proof for this request and this token, by the key that it is bound to.')
}

const unproven = (message: string) => new Problem('invalid_token', message, { scheme: 'DPoP' })

/** The user whose login session has this secret in its cookie, with every scope. Throws `invalid_token`. */
export async function authenticateSession(ctx: Context, secret: string): Promise<UserPrincipal> {
  const session = await findSession(ctx, secret)
  if (!session) throw new Problem('invalid_token', 'The session has ended. Log in again.')
  const { id, userId, username, amr, isFresh } = session
  return { kind: 'user', userId, username, clientId: null, scopes, session: { id, amr, isFresh } }
}

/** Never an overlay key, which the feed alone takes (`authenticateOverlay`). */
async function principalBy(ctx: Context, bearer: string, caller?: Caller): Promise<Principal | undefined> {
  const tell = (ended: EndedCredential) => caller && noteEnded(caller, ended)
  const found = await ctx.credentials.principalOf(bearer, () => find(ctx, bearer, tell))
  return found?.kind === 'overlay' ? undefined : found
}

type TellEnded = (ended: EndedCredential) => void

async function find(ctx: Context, bearer: string, tell: TellEnded): Promise<FoundPrincipal | undefined> {
  if (isWellFormed('access', bearer)) return principalOfToken(ctx, bearer, tell)
  if (isWellFormed('key', bearer)) return principalOfKey(ctx, bearer, tell)
  return undefined
}

/** How long a credential still lives, capped at ten seconds because the cache remembers none for longer. */
const livesMs = (expiresAt: string) => `
  extract(epoch from least(${expiresAt}, statement_timestamp() + interval '10 seconds') - statement_timestamp())::float8 * 1000
    as lives_ms`

type FoundToken = {
  client_id: string
  owner_id: string | null
  user_id: string | null
  grant_id: string | null
  username: string | null
  scopes: Scope[]
  client_scopes: Scope[]
  dpop_jkt: string | null
  resource: ResourcePath | null
  lives_ms: number
  is_living: boolean
}

const findToken = statement<[hash: Buffer], FoundToken>(`
  select t.client_id, c.owner_id, t.user_id, t.grant_id, u.username, t.scopes, c.scopes as client_scopes, t.dpop_jkt, t.resource, ${livesMs('t.expires_at')},
         t.revoked_at is null and t.expires_at > statement_timestamp()
           and c.disabled_at is null and g.revoked_at is null and u.disabled_at is null as is_living
    from access_tokens t
    join clients c on c.id = t.client_id
    left join grants g on g.id = t.grant_id
    left join users u on u.id = t.user_id
   where t.hash = $1`)

async function principalOfToken(ctx: Context, token: string, tell: TellEnded): Promise<FoundPrincipal | undefined> {
  const [found] = await findToken(ctx.db, sha256(token))
  if (!found) return undefined
  const { client_id: clientId, owner_id: ownerId, user_id: userId, username, dpop_jkt: jkt, lives_ms: livesMs } = found
  const grantId = found.grant_id ?? undefined
  if (!found.is_living) return void tell({ clientId, credentialId: grantId })
  const scopes = found.scopes.filter((scope) => found.client_scopes.includes(scope)) // it may have lost some since
  const { resource } = found
  const limits = { ...(jkt !== null && { boundTo: jkt }), ...(resource !== null && { resource }) }
  const may = { clientId, scopes, ...limits, ...(grantId && { credentialId: grantId }) }
  if (userId === null || username === null) return { principal: { kind: 'application', ownerId, ...may }, livesMs }
  return { principal: { kind: 'user', userId, username, ...may }, livesMs, grantId }
}

type FoundKey = {
  id: string
  client_id: string
  owner_id: string | null
  scopes: Scope[]
  is_use_due: boolean
  lives_ms: number
  is_living: boolean
}

const findKey = statement<[hash: Buffer], FoundKey>(`
  select k.id, k.client_id, c.owner_id, k.scopes, ${livesMs('k.expires_at')},
         coalesce(k.last_used_at < statement_timestamp() - interval '1 minute', true) as is_use_due,
         k.revoked_at is null and c.disabled_at is null
           and (k.expires_at is null or k.expires_at > statement_timestamp()) as is_living
    from api_keys k
    join clients c on c.id = k.client_id
   where k.hash = $1`)

/** Has the condition again: it is checked under the row's lock, so of many requests at once only one writes. */
const noteUse = statement<[id: string], never>(`
  update api_keys set last_used_at = statement_timestamp()
   where id = $1 and coalesce(last_used_at < statement_timestamp() - interval '1 minute', true)`)

async function principalOfKey(ctx: Context, key: string, tell: TellEnded): Promise<FoundPrincipal | undefined> {
  const [found] = await findKey(ctx.db, sha256(key))
  if (!found) return undefined
  const { id, client_id: clientId, owner_id: ownerId, scopes, is_use_due: isUseDue, lives_ms: livesMs } = found
  if (!found.is_living) return void tell({ clientId, credentialId: id })
  if (isUseDue) await noteUse(ctx.db, id)
  return { principal: { kind: 'application', clientId, ownerId, scopes, credentialId: id }, livesMs }
}
