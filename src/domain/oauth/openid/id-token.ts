import { SignJWT } from 'jose'
import type { Context } from '../../core/context.ts'
import { sha256 } from '../../core/digest.ts'
import type { TokenResponse } from '../../core/resources.ts'
import type { Login } from '../issue.ts'
import { ID_TOKEN_S } from '../lifetimes.ts'
import { currentSigningKey, ID_TOKEN_ALGORITHM } from './signing-keys.ts'

/** What an ID token says beside what follows from its response. Grants that are older than ID tokens do not know their login. */
export type Identity = { clientId: string; userId: string; login: Login | undefined; nonce?: string | null | undefined }

/**
 * The response with an ID token, if its scope has `openid` (OpenID Connect Core, section 3.1.3.3). Of the user it says nothing but
 * who it is: the rest is at the userinfo endpoint.
 */
export async function withIdToken(ctx: Context, response: TokenResponse, identity: Identity): Promise<TokenResponse> {
  if (!response.scope.split(' ').includes('openid')) return response
  return { ...response, id_token: await signIdToken(ctx, response.access_token, identity) }
}

async function signIdToken(ctx: Context, accessToken: string, { clientId, userId, login, nonce }: Identity) {
  const { kid, key, nowS } = await currentSigningKey(ctx)
  const claims = {
    at_hash: sha256(accessToken).subarray(0, 16).toString('base64url'),
    ...(login && { auth_time: Math.floor(login.authenticatedAt.getTime() / 1000), amr: login.amr }),
    ...(typeof nonce === 'string' && { nonce }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ID_TOKEN_ALGORITHM, kid, typ: 'JWT' })
    .setIssuer(ctx.publicUrl)
    .setSubject(userId)
    .setAudience(clientId)
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + ID_TOKEN_S)
    .sign(key)
}
