import { statement } from '../../db/statement.ts'
import type { ResourcePath } from '../../shared/resource-paths.ts'
import { mint, successorOf } from '../access/token-format.ts'
import type { CalledContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import type { TokenResponse } from '../core/resources.ts'
import type { Scope } from '../core/scopes.ts'
import { isSame } from '../core/timing-safe.ts'
import type { InTransaction } from '../core/transaction.ts'
import type { Client } from './client/authenticate-client.ts'
import { defineGrant } from './grant.ts'
import { closedAccount, otherKey, refusedGrant } from './grant-refusals.ts'
import { loginOf, redeemOnce, requireClient, requireParameter, revokeReused } from './grant-steps.ts'
import { ACCESS_TOKEN_LIFE, REFRESH_TOKEN_LIFE } from './lifetimes.ts'
import { withIdToken } from './openid/id-token.ts'
import { narrowResource, readResource, resourceParameter } from './resource-parameter.ts'
import { scopeParameter, scopesOfGrant } from './scope-parameter.ts'
import { tokenResponse } from './token-response.ts'

/**
 * RFC 6749, section 6, with rotation: the presented token is consumed and replaced by a successor. A retry within a minute
 * gets the same successor again, as long as that is unused; any other second use revokes the grant. Throws
 * `invalid_grant`, and `invalid_scope` before anything is consumed.
 */
export const refreshTokenGrant = defineGrant({
  grantType: 'refresh_token',
  parameters: {
    refresh_token: {
      description: 'With `refresh_token`: the newest one of the grant.',
      example: 'lsrt_0000000000000000000000000000000000000000000AAAAAA',
      isSecret: true,
    },
    scope: scopeParameter,
    resource: resourceParameter,
  },

  async exchange(ctx, presented, { refresh_token, scope, resource: address }) {
    const client = await requireClient(ctx, presented, 'refresh_token')
    const value = requireParameter('refresh_token', refresh_token)
    const resource = readResource(ctx, address)
    const parameter = 'refresh_token'
    const redeemable = { client, kind: 'refresh', parameter, value, findUser, unknown: UNKNOWN } as const
    return redeemOnce(ctx, redeemable, (tx, hash, jkt) =>
      rotate(tx, client, { token: value, hash, jkt, scope, resource }),
    )
  },
})

const UNKNOWN = 'is unknown, or of another application.'

const findUser = statement<[hash: Buffer, clientId: string], { user_id: string }>(`
  select g.user_id from refresh_tokens r join grants g on g.id = r.grant_id where r.hash = $1 and g.client_id = $2`)

type Presented = {
  is_revoked: boolean
  is_expired: boolean
  is_user_active: boolean
  grant_id: string
  user_id: string
  scopes: Scope[]
  dpop_jkt: string | null
  authenticated_at: string | null
  amr: string[] | null
  resource: ResourcePath | null
  successor_hash: Buffer | null
  /** Consumed less than a minute ago. */
  is_fresh: boolean
}

type Refresh = {
  token: string
  hash: Buffer
  jkt: string | null
  scope: string | undefined
  resource: ResourcePath | undefined
}

async function rotate(
  tx: InTransaction<CalledContext>,
  client: Client,
  { token, hash, jkt, scope, resource: wanted }: Refresh,
): Promise<TokenResponse | Problem> {
  const [found] = await lockPresented(tx.db, hash, client.id)
  if (!found) return refusedGrant(`refresh_token: ${UNKNOWN}`)
  const end = endOf(found)
  if (end) return end
  const granted = found.scopes.filter((one) => client.scopes.includes(one))
  const scopes = scopesOfGrant(scope, granted)
  const resource = narrowResource(found.resource, wanted)
  if (resource instanceof Problem) return resource
  if (found.dpop_jkt !== null && found.dpop_jkt !== jkt) return otherKey('refresh_token')

  const { grant_id: grantId, user_id: userId, successor_hash: earlier } = found
  const successor = earlier ? await successorAgain(tx, token, earlier, found.is_fresh) : firstSuccessor(tx, token)
  if (successor === undefined) return revokeReused(tx, { grantId, clientId: client.id, reason: 'refresh_reuse' })

  const access = mint('access')
  const newHash = earlier ? null : sha256(successor)
  await insertTokens(tx.db, sha256(access), client.id, userId, grantId, scopes, newHash, hash, jkt, resource)
  const response = tokenResponse(access, scopes.join(' '), { refreshToken: successor, jkt })
  return withIdToken(tx, response, { clientId: client.clientId, userId, login: loginOf(found) })
}

function endOf({ is_revoked, is_user_active, is_expired }: Presented): Problem | undefined {
  if (is_revoked) return refusedGrant('refresh_token: its grant has been revoked.')
  if (!is_user_active) return closedAccount('refresh_token')
  if (is_expired) return refusedGrant('refresh_token: has expired. One lives for 30 days, and its grant for a year.')
  return undefined
}

/**
 * Locks the grant before the token, so that refreshes and revocations of one grant wait for each other. User and client are
 * locked before both, in the order in which deleting them locks their rows.
 */
const lockPresented = statement<[hash: Buffer, clientId: string], Presented>(`
  select r.grant_id, g.user_id, g.scopes, g.dpop_jkt, g.authenticated_at, g.amr, g.resource, r.successor_hash,
         coalesce(r.consumed_at > statement_timestamp() - interval '60 seconds', false) as is_fresh,
         g.revoked_at is not null as is_revoked, r.expires_at <= statement_timestamp() as is_expired,
         u.disabled_at is null as is_user_active
    from refresh_tokens r
    join grants g on g.id = r.grant_id
    join clients c on c.id = g.client_id
    join users u on u.id = g.user_id
   where r.hash = $1 and g.client_id = $2
     for key share of u, c
     for update of g, r`)

type NewTokens = [
  accessHash: Buffer,
  clientId: string,
  userId: string,
  grantId: string,
  scopes: readonly Scope[],
  successorHash: Buffer | null,
  presentedHash: Buffer,
  jkt: string | null,
  resource: ResourcePath | null,
]

/** Inserts an access token and, on the first use, the successor, and marks the presented token as consumed. */
const insertTokens = statement<NewTokens, never>(`
  with consumed as (
    update refresh_tokens set consumed_at = statement_timestamp(), successor_hash = $6
     where hash = $7 and $6::bytea is not null
  ), successor as (
    insert into refresh_tokens (hash, grant_id, expires_at)
    select $6, id, least(statement_timestamp() + interval '${REFRESH_TOKEN_LIFE}', expires_at)
      from grants where id = $4 and $6::bytea is not null
  )
  insert into access_tokens (hash, client_id, user_id, grant_id, scopes, dpop_jkt, resource, expires_at)
  values ($1, $2, $3, $4, $5, $8, $9, statement_timestamp() + interval '${ACCESS_TOKEN_LIFE}')`)

function firstSuccessor({ keyring }: InTransaction, token: string): string {
  const [key] = keyring.keysFor('refresh-successor')
  return successorOf(token, key)
}

const findUnconsumed = statement<[hash: Buffer], { hash: Buffer }>(
  'select hash from refresh_tokens where hash = $1 and consumed_at is null',
)

/** The same successor for a client whose response was lost, or that refreshes in parallel. Undefined when this is reuse. */
async function successorAgain(tx: InTransaction, token: string, successorHash: Buffer, isFresh: boolean) {
  const [unconsumed] = isFresh ? await findUnconsumed(tx.db, successorHash) : []
  if (!unconsumed) return undefined
  const successors = tx.keyring.keysFor('refresh-successor').map((key) => successorOf(token, key))
  return successors.find((successor) => isSame(sha256(successor), successorHash))
}
