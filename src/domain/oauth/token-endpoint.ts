import { grantTypes } from '../../shared/grants.ts'
import { isGrantType } from '../applications/grant-types.ts'
import type { CalledContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import type { TokenResponse } from '../core/resources.ts'
import { type ClientFields, presentedCredentials } from './client/presented-credentials.ts'
import { requireParameter } from './grant-steps.ts'
import { type grantParameters, grantsByType } from './grants-table.ts'
import { omitEmpty, type ValuesOf } from './parameters.ts'

/** docs/specification.md, section 4.1, and what extensions add. */
export type TokenRequest = ClientFields & { grant_type: string } & ValuesOf<typeof grantParameters>

/**
 * The token endpoint of OAuth 2.1. Throws `invalid_request` and `unsupported_grant_type` before the client is looked at,
 * then `rate_limited`, `invalid_client`, `unauthorized_client`, and what the grant throws.
 */
export async function issueToken(ctx: CalledContext, request: TokenRequest): Promise<TokenResponse> {
  const parameters = omitEmpty(request)
  const grantType = requireParameter('grant_type', parameters.grant_type)
  if (!isGrantType(grantType)) {
    throw new Problem('unsupported_grant_type', `grant_type: must be one of ${grantTypes.join(', ')}.`)
  }
  return grantsByType[grantType].exchange(ctx, presentedCredentials(ctx.caller, parameters), parameters)
}
