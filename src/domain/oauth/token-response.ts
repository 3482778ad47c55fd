import type { TokenResponse } from '../resources.ts'
import { ACCESS_TOKEN_S } from './lifetimes.ts'

/** Without `refresh_token` unless one was issued. */
export function tokenResponse(accessToken: string, scope: string, refreshToken?: string): TokenResponse {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_S,
    scope,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  }
}
