import { statement } from '../../../db/statement.ts'
import type { GrantType } from '../../../shared/grants.ts'
import { isWellFormed } from '../../access/token-format.ts'
import type { CalledContext, Context } from '../../core/context.ts'
import { sha256Hex } from '../../core/digest.ts'
import { isId } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'
import { countAllOrRefuse, countsByAddress, networkOf, rateLimits, refuseExceeded } from '../../core/rate-limits.ts'
import { noteClaim, noteClient } from '../../core/request-record.ts'
import type { Scope } from '../../core/scopes.ts'
import { isAssertedBy } from './client-assertion.ts'
import { isDocumentUrl } from './client-documents.ts'
import { isKnownClient, isRememberedClient } from './known-clients.ts'
import type { PresentedCredentials } from './presented-credentials.ts'
import { findUnregistered } from './unregistered.ts'

/** A client that has proved who it is, by secret or signature; a public one can keep neither and is taken at its word. */
export type Client = {
  id: string
  /** What it calls itself: its identifier, or the address of its metadata document. */
  clientId: string
  isConfidential: boolean
  /** Its tokens are bound to a key that it proves to hold (RFC 9449). */
  isDpopBound: boolean
  grantTypes: readonly GrantType[]
  scopes: readonly Scope[]
}

/** What the database knows of the client that is named. Nothing but nulls for an unknown one. */
export type PresentedClient = { client_id: string | null; confidential: boolean | null; is_authentic: boolean }

/** Lists are joined by spaces: the driver takes longer to read an array than to read the rest of the row. */
type FoundClient = PresentedClient & { dpop_bound: boolean | null; grant_types: string | null; scope: string | null }

/**
 * A `from` clause: the client of `$1` and the secret whose hash is `$2`; `$3` says whether its assertion was verified. Both
 * look-ups happen whether or not the client exists. The hash is looked up and not compared in constant time: how much of a
 * hash matches an index entry tells nothing about the 256 random bits behind it.
 */
export const SELECT_PRESENTED_CLIENT = `
  (values ($1::text, decode($2, 'hex'), $3::boolean)) as presented (client_id, hash, is_asserted)
  left join clients c on c.id = presented.client_id and c.disabled_at is null
  left join client_secrets s on s.hash = presented.hash and s.client_id = presented.client_id
        and (s.expires_at is null or s.expires_at > statement_timestamp())`

/** Whether the client has authenticated by the one method that it is registered for. */
export const IS_AUTHENTIC = `
  case c.auth_method when 'secret' then s.id is not null when 'private_key_jwt' then presented.is_asserted else false end`

const findPresented = statement<LookUp, FoundClient>(`
  select c.id as client_id, c.confidential, ${IS_AUTHENTIC} as is_authentic, c.dpop_bound,
         array_to_string(c.grant_types, ' ') as grant_types, array_to_string(c.scopes, ' ') as scope
    from ${SELECT_PRESENTED_CLIENT}`)

/** The client that presents these credentials. Throws `rate_limited`; `invalid_client`, alike for an unknown client and a wrong secret. */
export async function authenticateClient(ctx: CalledContext, presented: PresentedCredentials): Promise<Client> {
  await refuseThrottled(ctx, presented)
  const client = await findProven(ctx, presented, await lookUpOf(ctx, presented))
  const { id = '' } = presented
  return isDocumentUrl(id) ? { ...client, clientId: id } : client
}

/** The same for credentials whose look-up values are known already, without the throttle. Throws `invalid_client`. */
export async function findProven(
  ctx: CalledContext,
  presented: PresentedCredentials,
  values: LookUp | undefined,
): Promise<Client> {
  const [found] = values ? await findPresented(ctx.db, ...values) : []
  if (!found || !isProven(found, presented)) return rejectClient(ctx, presented)
  noteClient(ctx.caller, found.client_id)
  return clientOf(found)
}

export type LookUp = [clientId: string, secretHash: string | null, isAsserted: boolean]

/** What to look a client up by; undefined when it can be nobody: by the form of what it sent, or by a wrong assertion. */
export async function lookUpOf(
  ctx: Context,
  { id, secret, assertion }: PresentedCredentials,
): Promise<LookUp | undefined> {
  if (id !== undefined && isDocumentUrl(id) && secret === undefined && assertion === undefined) {
    const known = await findUnregistered(ctx, id)
    return known && [known.id, null, false]
  }
  if (id === undefined || !isId('client', id)) return undefined
  if (assertion !== undefined) return (await isAssertedBy(ctx, id, assertion)) ? [id, null, true] : undefined
  if (secret === undefined) return [id, null, false]
  return isWellFormed('secret', secret) ? [id, sha256Hex(secret), false] : undefined
}

type Proven<Found extends PresentedClient> = Found & { client_id: string }

/** A confidential client must have authenticated; a public one has no secret, so one that sends a secret is refused. */
export function isProven<Found extends PresentedClient>(
  found: Found,
  { secret }: PresentedCredentials,
): found is Proven<Found> {
  return found.client_id !== null && (found.confidential ? found.is_authentic : secret === undefined)
}

const clientOf = ({ client_id: id, confidential, dpop_bound, grant_types, scope }: Proven<FoundClient>): Client => ({
  id,
  clientId: id,
  isConfidential: confidential === true,
  isDpopBound: dpop_bound === true,
  grantTypes: namesIn(grant_types) as GrantType[], // what the database's constraint lets in
  scopes: namesIn(scope) as Scope[],
})

const namesIn = (joined: string | null): string[] => (joined ? joined.split(' ') : [])

const TOO_MANY = 'Too many failed client authentications.'

/**
 * Refuses the next attempt, right or wrong, after too many failures of one client from one network, or of one network in
 * all, so that somebody who makes up client identifiers cannot fill the counters' memory.
 */
export async function refuseThrottled(ctx: CalledContext, presented: PresentedCredentials): Promise<void> {
  if (presented.id === undefined) return
  noteClaim(ctx.caller, presented.id, isRememberedClient(ctx.db, presented.id) || undefined)
  for (const [limit, key] of countsOf(ctx, presented.id)) {
    refuseExceeded(await ctx.counters.peek(limit, key), TOO_MANY)
  }
}

/**
 * Counts the failure if a client was named, and throws `invalid_client`, or `rate_limited` if the limit is reached by now. Looks whether
 * there is such a client, also a stopped one: its log tells of it, and identifiers that are made up take no place there.
 */
export async function rejectClient(ctx: CalledContext, { id, scheme }: PresentedCredentials): Promise<never> {
  if (id !== undefined && isId('client', id)) noteClaim(ctx.caller, id, await isKnownClient(ctx.db, id))
  if (id !== undefined) await countAllOrRefuse(ctx, countsOf(ctx, id), TOO_MANY)
  throw new Problem('invalid_client', 'Client authentication failed.', { scheme })
}

const countsOf = ({ caller: { address } }: CalledContext, id: string) =>
  countsByAddress(rateLimits.clientAuthenticationAddress, address, [
    [rateLimits.clientAuthentication, `${id} ${networkOf(address)}`],
  ])
