import type { GrantType } from '../../shared/grants.ts'
import type { CalledContext } from '../core/context.ts'
import type { TokenResponse } from '../core/resources.ts'
import type { PresentedCredentials } from './client/presented-credentials.ts'
import type { Parameter, ValuesOf } from './parameters.ts'

/** All that the rest of the service has to know of a way to get tokens. What is derived from it: see `grants-table.ts`. */
export type Grant<Type extends GrantType, Parameters> = {
  grantType: Type
  /** Ours, beyond the specification. */
  isExtension?: true
  /** Of the token request. Two grants may share one, and then share its declaration. */
  parameters: Parameters
  /** Addresses where the grant begins, as the metadata (RFC 8414) names them and as paths of ours. */
  endpoints?: Readonly<Record<string, `/${string}`>>
  /**
   * Authenticates the client first and looks at its own parameters then, so that nobody learns anything about a code or
   * token without being a client. Empty parameters have been left out already.
   */
  exchange: (
    ctx: CalledContext,
    presented: PresentedCredentials,
    parameters: ValuesOf<Parameters>,
  ) => Promise<TokenResponse>
}

/** Types what `exchange` is given by the parameters that are declared. */
export const defineGrant = <Type extends GrantType, Parameters extends Record<string, Parameter>>(
  grant: Grant<Type, Parameters>,
) => grant
