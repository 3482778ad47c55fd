import { type GrantType, isGrantType } from '../applications/grant-types.ts'
import type { CalledContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import type { TokenResponse } from '../core/resources.ts'
import { type ClientFields, type PresentedCredentials, presentedCredentials } from './client-credentials-presented.ts'
import { exchangeAuthorizationCode } from './grant-authorization-code.ts'
import { exchangeClientCredentials } from './grant-client-credentials.ts'
import { exchangeRefreshToken } from './grant-refresh-token.ts'
import { omitEmpty, requireParameter } from './parameters.ts'

/** Section 4.1 of the specification. */
export type TokenRequest = ClientFields & {
  grant_type: string
  code?: string | undefined
  code_verifier?: string | undefined
  redirect_uri?: string | undefined
  refresh_token?: string | undefined
  scope?: string | undefined
}
type Parameters = Omit<TokenRequest, 'grant_type'>

/** Each authenticates the client first and looks at its own parameters then. */
const flows: Record<
  GrantType,
  (ctx: CalledContext, claim: PresentedCredentials, parameters: Parameters) => Promise<TokenResponse>
> = {
  authorization_code: exchangeAuthorizationCode,
  refresh_token: exchangeRefreshToken,
  client_credentials: exchangeClientCredentials,
}

/**
 * The token endpoint of OAuth 2.1. Throws `invalid_request` and `unsupported_grant_type` before the client is looked at,
 * then `rate_limited`, `invalid_client`, `unauthorized_client`, and what the grant throws.
 */
export async function issueToken(ctx: CalledContext, request: TokenRequest): Promise<TokenResponse> {
  const parameters = omitEmpty(request)
  const grantType = requireParameter('grant_type', parameters.grant_type)
  if (!isGrantType(grantType)) {
    throw new Problem('unsupported_grant_type', 'grant_type: must be one of those that the metadata lists.')
  }
  return flows[grantType](ctx, presentedCredentials(ctx.caller, parameters), parameters)
}
