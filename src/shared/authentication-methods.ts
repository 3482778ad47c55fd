/** How a person can prove who they are (RFC 8176): by password, by a one-time code, by a passkey. */
export const authenticationMethods = ['pwd', 'otp', 'hwk'] as const

export type AuthenticationMethod = (typeof authenticationMethods)[number]
