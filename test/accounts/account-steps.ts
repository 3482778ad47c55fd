/** What is done of an account, by whoever it may be. */
export const accountSteps = [
  'log in',
  'log in by address',
  'log in with an old password',
  'ask for a reset',
  'use the newest reset link',
  'use the newest reset link twice at once',
  'use any reset link',
  'change the password',
  'change it with an old one',
  'change the address',
  'change it with an old password',
  'use the newest link to confirm',
  'use any link to confirm',
  'take the account back by the newest link',
  'take the account back by any link',
  'revoke a session',
  'close',
] as const
export type AccountStep = (typeof accountSteps)[number]
