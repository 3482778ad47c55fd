import { eq } from 'drizzle-orm'
import { grants } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import { isWellFormed } from '../access/token-format.ts'
import type { CalledContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { transact } from '../core/transaction.ts'
import { authenticateClient, type Client } from './client/authenticate-client.ts'
import { type ClientFields, presentedCredentials } from './client/presented-credentials.ts'
import { omitEmpty } from './parameters.ts'
import { revokeGrants } from './revoke-grants.ts'

export type RevokeRequest = ClientFields & { token: string }

/**
 * RFC 7009: revokes an access token, or the whole grant of a refresh token, even of a consumed one. An unknown or revoked
 * token and one of another client are no errors, so that the response tells nothing about them. Throws what the
 * authentication of the client throws.
 */
export async function revokeToken(ctx: CalledContext, request: RevokeRequest): Promise<Record<string, never>> {
  const client = await authenticateClient(ctx, presentedCredentials(ctx.caller, omitEmpty(request)))
  if (isWellFormed('access', request.token)) {
    const [revoked] = await revokeAccessToken(ctx.db, sha256(request.token), client.id)
    if (revoked) ctx.credentials.end(revoked.digest)
  }
  if (isWellFormed('refresh', request.token)) await revokeGrantOf(ctx, client, request.token)
  return {}
}

const revokeAccessToken = statement<[hash: Buffer, clientId: string], { digest: string }>(`
  update access_tokens set revoked_at = statement_timestamp()
   where hash = $1 and client_id = $2 and revoked_at is null returning encode(hash, 'base64') as digest`)

const findGrant = statement<[hash: Buffer, clientId: string], { id: string }>(`
  select g.id from refresh_tokens r join grants g on g.id = r.grant_id where r.hash = $1 and g.client_id = $2`)

async function revokeGrantOf(ctx: CalledContext, client: Client, refreshToken: string): Promise<void> {
  const [grant] = await findGrant(ctx.db, sha256(refreshToken), client.id)
  if (!grant) return
  const actor = { type: 'client', id: client.id } as const
  await transact(ctx, (tx) => revokeGrants(tx, eq(grants.id, grant.id), { reason: 'client', actor }))
}
