import type { TokenResponse } from '../core/resources.ts'
import { ACCESS_TOKEN_S } from './lifetimes.ts'

type More = { refreshToken?: string | undefined; jkt: string | null }

/** Without `refresh_token` unless one was issued. */
export function tokenResponse(accessToken: string, scope: string, { refreshToken, jkt }: More): TokenResponse {
  return {
    access_token: accessToken,
    // always Bearer (section 2.1) for what the specification describes; DPoP for who registered to bind its tokens (RFC 9449)
    token_type: jkt === null ? 'Bearer' : 'DPoP',
    expires_in: ACCESS_TOKEN_S,
    scope,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  }
}
