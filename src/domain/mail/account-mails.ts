import type { ChangeFacts } from './change-facts.ts'
import type { MailKind } from './mail-kind.ts'

const origin = ({ at, ip, device }: ChangeFacts) =>
  `When: ${at.slice(0, 16).replace('T', ' ')} UTC. Where: ${ip ?? 'an unknown address'}. With: ${device ?? 'an unknown program'}.`

const NOT_YOU =
  'If it was not you, somebody else has your password: ask for a new one at once, and end there what they may have added.'
const factorChanges = {
  totp_added: 'An authenticator app was set up as second factor.',
  totp_removed: 'The authenticator app was removed.',
  passkey_added: 'A passkey was added.',
  passkey_removed: 'A passkey was removed.',
  recovery_codes_made: 'New recovery codes were made; the old ones work no longer.',
  recovery_code_used: 'A recovery code was used.',
  recent_removed:
    'What was added in the last seven days (passkeys, an authenticator app, recovery codes) was removed with the new password.',
  reset: 'The operator has taken all second factors away. Your password alone opens your account now.',
} as const
export type FactorChange = keyof typeof factorChanges

const security = { words: 'Look at your account', path: '/console/account' } as const
const forgot = { words: 'Ask for a new password', path: '/forgot' } as const

/** Mails about an account: none of these can be switched off. */
export const accountMails = {
  confirm_address: {
    text: ({ username, token }: { username: string; token: string }) => ({
      subject: 'Confirm your address',
      paragraphs: [`The account ${username} was given this address. Confirm that it is yours.`],
      link: { words: 'Confirm the address', path: `/verify?token=${token}` },
      closing: ['The link works for a day, and once. If it is not your account, ignore this mail.'],
    }),
  },
  address_claimed: {
    text: ({ username, claimant }: { username: string; claimant: string }) => ({
      subject: 'Your address was given for another account',
      paragraphs: [
        `Somebody gave your address for the account ${claimant}. It is confirmed for your account ${username}, and stays so.`,
        'If it was you, log in to the account that you have. If it was not, there is nothing to do.',
      ],
      link: forgot,
    }),
  },
  address_changed: {
    text: (change: ChangeFacts & { address: string }) => ({
      subject: 'The address of your account is being changed',
      paragraphs: [`The account ${change.username} was given the address ${change.address}.`, origin(change), NOT_YOU],
      link: forgot,
    }),
  },
  address_replaced: {
    text: ({ address, token, ...change }: ChangeFacts & { address: string; token: string }) => ({
      subject: 'Your account has another address',
      paragraphs: [
        `Your account ${change.username} has the address ${address} from now on, and this one no longer.`,
        origin(change),
        'If it was not you, take it back: you set a new password, and the account has this address again.',
      ],
      link: { words: 'Take the account back', path: `/reset?token=${token}` },
      closing: ['The link works for seven days, and once.'],
    }),
  },
  address_restored: {
    text: ({ address, ...change }: ChangeFacts & { address: string }) => ({
      subject: 'Your account has its former address again',
      paragraphs: [
        `Whoever reads the mails of ${address}, the former address of your account ${change.username}, has set a new password and brought that address back.`,
        origin(change),
        'If it was not you, tell whoever runs this service at once: they can give you the account back.',
      ],
    }),
  },
  address_lost: {
    text: ({ address }: { address: string }) => ({
      subject: 'An address that you gave belongs to another account',
      paragraphs: [
        `Another account has confirmed the address ${address}, so it cannot be yours. Give another one if you need it.`,
      ],
      link: security,
    }),
  },
  reset_password: {
    text: ({ username, token }: { username: string; token: string }) => ({
      subject: 'Set a new password',
      paragraphs: [`Somebody asked for a new password for the account ${username}.`],
      link: { words: 'Set a new password', path: `/reset?token=${token}` },
      closing: [
        'The link works for half an hour, and once. If you did not ask, ignore this mail: nothing has changed.',
      ],
    }),
  },
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
  account_closed: {
    text: ({ eraseAt, ...change }: ChangeFacts & { eraseAt: string }) => ({
      subject: 'Your account is deleted',
      paragraphs: [
        `Your account ${change.username} is closed: nobody sees it, and nothing of it works any more.`,
        `On ${eraseAt.slice(0, 10)} its data is erased for good: your address, your profile, what you wrote, your sessions, and applications that nobody else develops. The name is never given to anybody else.`,
        'Until that day whoever runs this service can open it again: ask them if you have changed your mind, or if it was not you.',
        origin(change),
      ],
    }),
  },
  account_reopened: {
    text: ({ username, at }: ChangeFacts) => ({
      subject: 'Your account is open again',
      paragraphs: [
        `Your account ${username}, which was deleted, was opened again by the operator at ${at.slice(0, 16).replace('T', ' ')} UTC. Nothing is erased.`,
        'Applications have to ask for your permission anew, and webhooks stay off until they are enabled.',
      ],
      link: { words: 'Log in', path: '/login' },
    }),
  },
  new_device: {
    text: (change: ChangeFacts) => ({
      subject: 'A new device logged in',
      paragraphs: [
        `Somebody has logged in to your account ${change.username} with a browser that is not known to it: a new one, one that has forgotten its cookies, or any at its first login after a new password.`,
        origin(change),
        `If it was you, there is nothing to do. ${NOT_YOU}`,
      ],
      link: security,
    }),
  },
} satisfies Record<string, MailKind<never>>
