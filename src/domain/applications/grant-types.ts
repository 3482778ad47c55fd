import { clientGrantTypes } from '../../db/schema/index.ts'
import { Problem } from '../core/problem.ts'

/** The grants that the token endpoint knows. Any other is `unsupported_grant_type`. */
export const grantTypes = clientGrantTypes

export type GrantType = (typeof grantTypes)[number]

export const isGrantType = (value: string): value is GrantType => grantTypes.some((known) => known === value)

/** Throws `unauthorized_client` for a client that is not registered for a grant. */
export function requireGrantType(client: { grantTypes: readonly GrantType[] }, wanted: GrantType): void {
  if (!client.grantTypes.includes(wanted)) throw unregistered(wanted)
}

export const unregistered = (wanted: GrantType) =>
  new Problem('unauthorized_client', `grant_type: this client is not registered for "${wanted}".`)
