import { eq } from 'drizzle-orm'
import { grants } from '../../db/schema/index.ts'
import { isWellFormed, type TokenKind } from '../access/token-format.ts'
import { type GrantType, requireGrantType } from '../applications/grant-types.ts'
import type { CalledContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import type { TokenResponse } from '../core/resources.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { authenticateClient, type Client } from './authenticate-client.ts'
import { type NewGrant, startGrant } from './issue.ts'
import type { PresentedCredentials } from './presented-credentials.ts'
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

type Redeemable = { kind: TokenKind; value: string; refusal: string }
type Redeem = (tx: InTransaction<CalledContext>, hash: Buffer) => Promise<TokenResponse | undefined>

/**
 * Exchanges what a user's consent has left with the client, a code or a token, in one transaction. `redeem` refuses by
 * returning undefined, and `invalid_grant` with the words of `refusal` is thrown after the commit: a throw inside would
 * undo what a refusal does to a code or its grant.
 */
export async function redeemOnce(
  ctx: CalledContext,
  { kind, value, refusal }: Redeemable,
  redeem: Redeem,
): Promise<TokenResponse> {
  const tokens = isWellFormed(kind, value) ? await transact(ctx, (tx) => redeem(tx, sha256(value))) : undefined
  if (tokens) return tokens
  throw new Problem('invalid_grant', refusal)
}

type Consent = Pick<NewGrant, 'userId' | 'scopes' | 'codeHash'> & { jkt: string | null }

/**
 * The grant and its tokens for what a user has allowed. A confidential client proves itself at each refresh and may change
 * its key; the refresh tokens of a public one are bound to the key (RFC 9449, section 5).
 */
export const startGrantOf = (tx: InTransaction, client: Client, consent: Consent): Promise<TokenResponse> =>
  startGrant(tx, {
    ...consent,
    clientId: client.id,
    isRefreshable: client.grantTypes.includes('refresh_token'),
    refreshJkt: client.isConfidential ? null : consent.jkt,
  })

type Reused = { grantId: string; clientId: string; reason: RevokeReason }

/** Ends a grant because what it came from, or its refresh token, was used a second time. */
export async function revokeReused(
  tx: InTransaction<CalledContext>,
  { grantId, clientId, reason }: Reused,
): Promise<undefined> {
  const actor = { type: 'client', id: clientId } as const
  await revokeGrants(tx, eq(grants.id, grantId), { reason, actor })
}
