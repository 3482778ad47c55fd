import { eq } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { grants } from '../../db/schema/index.ts'
import type { GrantType } from '../../shared/grants.ts'
import { bindingOf } from '../access/dpop-proof.ts'
import { requireGrantType } from '../applications/grant-types.ts'
import type { CalledContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { rateLimits } from '../core/rate-limits.ts'
import { requireWaiting } from '../core/request-record.ts'
import type { TokenResponse } from '../core/resources.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { authenticateClient, type Client } from './client/authenticate-client.ts'
import type { PresentedCredentials } from './client/presented-credentials.ts'
import { type Presented, refusedGrant, requireForm, usedBefore } from './grant-refusals.ts'
import { type Login, type NewGrant, startGrant } from './issue.ts'
import { withinIssueLimit } from './issue-limit.ts'
import { withIdToken } from './openid/id-token.ts'
import { type RevokeReason, revokeGrants } from './revoke-grants.ts'

/** First step. Throws `rate_limited`, `invalid_client`, and `unauthorized_client` when it is not registered for the grant. */
export async function requireClient(
  ctx: CalledContext,
  presented: PresentedCredentials,
  grantType: GrantType,
): Promise<Client> {
  const client = await authenticateClient(ctx, presented)
  requireGrantType(client, grantType)
  return client
}

/** The value of a parameter that a grant cannot do without. Throws `invalid_request` that names it. */
export function requireParameter(name: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new Problem('invalid_request', `${name}: is required.`)
}

type Redeemable = Presented & {
  client: Client
  /** Finds whose consent it came from, whether or not it still counts. */
  findUser: (db: Database, hash: Buffer, clientId: string) => Promise<{ user_id: string }[]>
}
/** `jkt`: the thumbprint of the key to which the tokens are bound. */
type Redeem = (tx: InTransaction<CalledContext>, hash: Buffer, jkt: string | null) => Promise<TokenResponse | Problem>

/**
 * Exchanges what a user's consent has left with the client, a code or a token, in one transaction. `redeem` returns what it
 * refuses with, which is thrown after the commit: a throw inside would undo what a refusal does to a code or its grant. When
 * nobody waits for the answer any more, all is undone: a client that was told to try again may have done so meanwhile, and
 * gone on from there, and its first request, come late, must not be taken for a second use. Throws `invalid_grant`;
 * `rate_limited` and `invalid_dpop_proof` before, which consume nothing.
 */
export async function redeemOnce(
  ctx: CalledContext,
  { client, findUser, ...presented }: Redeemable,
  redeem: Redeem,
): Promise<TokenResponse> {
  requireForm(presented)
  const hash = sha256(presented.value)
  const [found] = await findUser(ctx.db, hash, client.id)
  if (!found) throw refusedGrant(`${presented.parameter}: ${presented.unknown}`)
  return withinIssueLimit(ctx, rateLimits.userTokens, `${client.id} ${found.user_id}`, async () => {
    const jkt = await bindingOf(ctx, client)
    const outcome = await transact(ctx, async (tx) => {
      const redeemed = await redeem(tx, hash, jkt)
      requireWaiting(ctx.caller)
      return redeemed
    })
    if (outcome instanceof Problem) throw outcome
    return outcome
  })
}

type Consent = Pick<NewGrant, 'userId' | 'scopes' | 'codeHash' | 'login' | 'resource' | 'tokenResource'> & {
  jkt: string | null
  nonce?: string | null
}

/**
 * The grant and its tokens for what a user has allowed. A confidential client proves itself at each refresh and may change
 * its key; the refresh tokens of a public one are bound to the key (RFC 9449, section 5).
 */
export async function startGrantOf(tx: InTransaction, client: Client, consent: Consent): Promise<TokenResponse> {
  const { userId, login, nonce } = consent
  const response = await startGrant(tx, {
    ...consent,
    clientId: client.id,
    isRefreshable: client.grantTypes.includes('refresh_token'),
    refreshJkt: client.isConfidential ? null : consent.jkt,
  })
  return withIdToken(tx, response, { clientId: client.clientId, userId, login, nonce })
}

type LoginColumns = { authenticated_at: string | null; amr: string[] | null }

/** How the user had logged in, as codes and grants keep it. */
export const loginOf = ({ authenticated_at: at, amr }: LoginColumns): Login | undefined =>
  at === null || amr === null ? undefined : { authenticatedAt: new Date(at), amr }

type Reused = { grantId: string; clientId: string; reason: RevokeReason }

/** Ends a grant because what it came from, or its refresh token, was used a second time. Returns what to refuse with. */
export async function revokeReused(
  tx: InTransaction<CalledContext>,
  { grantId, clientId, reason }: Reused,
): Promise<Problem> {
  const actor = { type: 'client', id: clientId } as const
  await revokeGrants(tx, eq(grants.id, grantId), { reason, actor })
  return usedBefore(reason === 'code_reuse' ? 'code' : 'refresh_token')
}
