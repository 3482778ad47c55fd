/** Every grant that an application can be registered for, in words for the console. The keys are what the token endpoint takes. */
export const grantDescriptions = {
  authorization_code: { label: 'Authorization code', description: 'People log in and allow it' },
  refresh_token: { label: 'Refresh token', description: 'It stays allowed without asking again' },
  client_credentials: { label: 'Client credentials', description: 'It acts for itself; confidential ones only' },
} as const

export type GrantType = keyof typeof grantDescriptions

export const grantTypes = Object.keys(grantDescriptions) as [GrantType, ...GrantType[]]
