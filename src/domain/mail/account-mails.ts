import type { ChangeFacts } from './change-facts.ts'
import type { MailKind } from './mail-kind.ts'

const origin = ({ at, ip, device }: ChangeFacts) =>
  `When: ${at.slice(0, 16).replace('T', ' ')} UTC. Where: ${ip ?? 'an unknown address'}. With: ${device ?? 'an unknown program'}.`

const NOT_YOU = 'If it was not you, somebody else has your password: ask for a new one at once.'
const factorChanges = {
  totp_added: 'An authenticator app was set up as second factor.',
  totp_removed: 'The authenticator app was removed.',
  passkey_added: 'A passkey was added.',
  passkey_removed: 'A passkey was removed.',
  recovery_codes_made: 'New recovery codes were made; the old ones work no longer.',
  recovery_code_used: 'A recovery code was used.',
  reset: 'The operator has taken all second factors away. Your password alone opens your account now.',
} as const
export type FactorChange = keyof typeof factorChanges

const security = { words: 'Look at your account', path: '/console/account' } as const
const forgot = { words: 'Ask for a new password', path: '/forgot' } as const

/** Mails about an account: none of these can be switched off. */
export const accountMails = {
  password_changed: {
    text: (change: ChangeFacts) => ({
      subject: 'Your password was changed',
      paragraphs: [`The password of your account ${change.username} was changed.`, origin(change), NOT_YOU],
      link: forgot,
    }),
  },
  factors_changed: {
    text: ({ what, ...change }: ChangeFacts & { what: FactorChange }) => ({
      subject: 'What protects your account was changed',
      paragraphs: [`${factorChanges[what]} (your account ${change.username})`, origin(change), NOT_YOU],
      link: { words: 'Look at what protects it', path: '/console/account/security' },
    }),
  },
  new_device: {
    text: (change: ChangeFacts) => ({
      subject: 'A new device logged in',
      paragraphs: [
        `Somebody has logged in to your account ${change.username} with a browser that was not seen there before.`,
        origin(change),
        `If it was you, there is nothing to do. ${NOT_YOU}`,
      ],
      link: security,
    }),
  },
} satisfies Record<string, MailKind<never>>
