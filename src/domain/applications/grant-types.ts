import { type GrantType, grantDescriptions, grantTypes } from '../../shared/grants.ts'
import { Problem } from '../core/problem.ts'

/** Any other grant is `unsupported_grant_type`. */
export const isGrantType = (value: string): value is GrantType => grantTypes.some((known) => known === value)

/** Throws `unauthorized_client` for a client that is not registered for a grant. */
export function requireGrantType(client: { grantTypes: readonly GrantType[] }, wanted: GrantType): void {
  if (!client.grantTypes.includes(wanted)) throw unregistered(wanted)
}

export const unregistered = (wanted: GrantType) =>
  new Problem(
    'unauthorized_client',
    `grant_type: this client is not registered for "${wanted}". The owner of the application adds it in the console, in the settings of the application, under Grants: "${grantDescriptions[wanted].label}".`,
  )
