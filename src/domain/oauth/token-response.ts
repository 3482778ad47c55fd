import type { TokenResponse } from '../core/resources.ts'
import { ACCESS_TOKEN_S } from './lifetimes.ts'

type More = { refreshToken?: string | undefined; jkt: string | null }

/** Without `refresh_token` unless one was issued. */
export function tokenResponse(accessToken: string, scope: string, { refreshToken, jkt }: More): TokenResponse {
  return {
    access_token: accessToken,
    // docs/specification.md, section 2.1, knows Bearer alone; DPoP is for clients that registered to bind their tokens (RFC 9449)
    token_type: jkt === null ? 'Bearer' : 'DPoP',
    expires_in: ACCESS_TOKEN_S,
    scope,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  }
}
