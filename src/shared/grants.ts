/** The grant of a device on which nobody can log in (RFC 8628). */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Every grant that an application can be registered for, in words for the console. The keys are what the token endpoint takes. */
export const grantDescriptions = {
  authorization_code: { label: 'Authorization code', description: 'People log in and allow it' },
  refresh_token: { label: 'Refresh token', description: 'It stays allowed without asking again' },
  client_credentials: { label: 'Client credentials', description: 'It acts for itself; confidential ones only' },
  [DEVICE_CODE_GRANT]: {
    label: 'Device code',
    description: 'People enter its code on another device; for televisions and command lines',
  },
} as const

export type GrantType = keyof typeof grantDescriptions

/** What decides which grants a new application can use. `devices`: whether people let it in by a code that it shows. */
type GrantUse = { confidential: boolean; hasRedirectUris: boolean; devices?: boolean }

/** Every grant that a new application can use. */
export function usableGrants({ confidential, hasRedirectUris, devices = false }: GrantUse): GrantType[] {
  const isForPeople = hasRedirectUris || devices
  return [
    ...(hasRedirectUris ? (['authorization_code'] as const) : []),
    ...(isForPeople ? (['refresh_token'] as const) : []),
    ...(confidential ? (['client_credentials'] as const) : []),
    ...(devices ? ([DEVICE_CODE_GRANT] as const) : []),
  ]
}

export const grantTypes = Object.keys(grantDescriptions) as [GrantType, ...GrantType[]]
