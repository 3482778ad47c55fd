import { eq } from 'drizzle-orm'
import { grants } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import { bindingOf } from '../access/dpop-proof.ts'
import { isSame, isWellFormed, mint, successorOf } from '../access/token-format.ts'
import { requireGrantType } from '../applications/grant-types.ts'
import type { CalledContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import type { TokenResponse } from '../core/resources.ts'
import type { Scope } from '../core/scopes.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { authenticateClient, type Client } from './authenticate-client.ts'
import type { PresentedCredentials } from './client-credentials-presented.ts'
import { ACCESS_TOKEN_LIFE, REFRESH_TOKEN_LIFE } from './lifetimes.ts'
import { requireParameter } from './parameters.ts'
import { revokeGrants } from './revoke-grants.ts'
import { scopesWithin } from './scope-parameter.ts'
import { tokenResponse } from './token-response.ts'

type Parameters = { refresh_token?: string | undefined; scope?: string | undefined }

/**
 * RFC 6749, section 6, with rotation: the presented token is spent and a successor takes its place. A retry within a
 * minute gets the same successor again, as long as that is unused; any other second use revokes the grant. Throws
 * `invalid_grant`, and `invalid_scope` before anything is spent.
 */
export async function exchangeRefreshToken(
  ctx: CalledContext,
  claim: PresentedCredentials,
  parameters: Parameters,
): Promise<TokenResponse> {
  const client = await authenticateClient(ctx, claim)
  requireGrantType(client, 'refresh_token')
  const presented = requireParameter('refresh_token', parameters.refresh_token)
  const tokens = isWellFormed('refresh', presented)
    ? await transact(ctx, (tx) => settleRefresh(tx, client, presented, parameters.scope))
    : undefined
  if (tokens) return tokens
  throw new Problem('invalid_grant', 'refresh_token: is unknown, expired, revoked, or belongs to another client.')
}

type Presented = {
  hash: Buffer
  grant_id: string
  client_id: string
  user_id: string
  scopes: Scope[]
  dpop_jkt: string | null
  successor_hash: Buffer | null
  /** Spent less than a minute ago. */
  is_fresh: boolean
}

/** A refusal leaves the transaction as undefined: a throw inside would undo the revocation. */
async function settleRefresh(
  tx: InTransaction<CalledContext>,
  client: Client,
  presented: string,
  scope: string | undefined,
): Promise<TokenResponse | undefined> {
  const [found] = await lockPresented(tx.db, sha256(presented), client.id)
  if (!found) return undefined
  const granted = found.scopes.filter((one) => client.scopes.includes(one))
  const scopes = scopesWithin(scope, granted)
  const jkt = await bindingOf(tx, client)
  if (found.dpop_jkt !== null && found.dpop_jkt !== jkt) return undefined

  const { hash, grant_id: grantId, user_id: userId, successor_hash: earlier } = found
  const successor = earlier
    ? await successorAgain(tx, presented, earlier, found.is_fresh)
    : firstSuccessor(tx, presented)
  if (successor === undefined) return revokeReused(tx, found)

  const access = mint('access')
  const newHash = earlier ? null : sha256(successor)
  await insertTokens(tx.db, sha256(access), client.id, userId, grantId, scopes, newHash, hash, jkt)
  return tokenResponse(access, scopes.join(' '), { refreshToken: successor, jkt })
}

/**
 * Holds the grant before the token, so that refreshes and revocations of one grant wait for each other; user and client
 * before both, in the order in which a deletion of theirs locks what hangs on them.
 */
const lockPresented = statement<[hash: Buffer, clientId: string], Presented>(`
  select r.hash, r.grant_id, g.client_id, g.user_id, g.scopes, g.dpop_jkt, r.successor_hash,
         coalesce(r.consumed_at > statement_timestamp() - interval '60 seconds', false) as is_fresh
    from refresh_tokens r
    join grants g on g.id = r.grant_id
    join clients c on c.id = g.client_id
    join users u on u.id = g.user_id
   where r.hash = $1 and g.client_id = $2 and r.expires_at > statement_timestamp()
     and g.revoked_at is null and u.disabled_at is null
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
]

/** An access token and, unless there is one from before, the successor, which spends the token that was presented. */
const insertTokens = statement<NewTokens, never>(`
  with spent as (
    update refresh_tokens set consumed_at = statement_timestamp(), successor_hash = $6
     where hash = $7 and $6::bytea is not null
  ), successor as (
    insert into refresh_tokens (hash, grant_id, expires_at)
    select $6, id, least(statement_timestamp() + interval '${REFRESH_TOKEN_LIFE}', expires_at)
      from grants where id = $4 and $6::bytea is not null
  )
  insert into access_tokens (hash, client_id, user_id, grant_id, scopes, dpop_jkt, expires_at)
  values ($1, $2, $3, $4, $5, $8, statement_timestamp() + interval '${ACCESS_TOKEN_LIFE}')`)

function firstSuccessor({ keyring }: InTransaction, presented: string): string {
  const [key] = keyring.keysFor('refresh-successor')
  if (!key) throw new Error('A keyring holds at least one key')
  return successorOf(presented, key)
}

const findUnspent = statement<[hash: Buffer], { hash: Buffer }>(
  'select hash from refresh_tokens where hash = $1 and consumed_at is null',
)

/** For a client that lost the answer, or asks from two places at once. Undefined when this is reuse. */
async function successorAgain(tx: InTransaction, presented: string, successorHash: Buffer, isFresh: boolean) {
  const [unspent] = isFresh ? await findUnspent(tx.db, successorHash) : []
  if (!unspent) return undefined
  const successors = tx.keyring.keysFor('refresh-successor').map((key) => successorOf(presented, key))
  return successors.find((successor) => isSame(sha256(successor), successorHash))
}

async function revokeReused(tx: InTransaction<CalledContext>, { grant_id, client_id }: Presented): Promise<undefined> {
  const actor = { type: 'client', id: client_id } as const
  await revokeGrants(tx, eq(grants.id, grant_id), { reason: 'refresh_reuse', actor })
}
