import type { MailKind } from './mail-kind.ts'

type Invited = { application: string; inviter: string; role: 'viewer' | 'developer' | 'owner'; token: string }

const asked = {
  viewer: 'to read along in',
  developer: 'to work on',
  owner: 'to take over',
} as const

/** Programs that show mails make links of these by themselves. Nobody gets an address into the mailbox of a stranger by our hand. */
const mayBecomeLink = (name: string) => /[\p{L}\p{N}]\.\p{L}{2}|:\/\/|www/iu.test(name)
const shown = (name: string) => (mayBecomeLink(name) ? 'an application' : `the application “${name}”`)

/** Mails about who belongs to an application: none of these can be switched off. */
export const peopleMails = {
  application_invitation: {
    text: ({ application, inviter, role, token }: Invited) => ({
      subject: role === 'owner' ? 'An application is offered to you' : 'You are invited to an application',
      paragraphs: [`${inviter} asks you ${asked[role]} ${shown(application)}.`],
      link: { words: 'Look at the invitation', path: `/console/invitations?token=${token}` },
      closing: [
        'The link works for 7 days, and once: after a login with the account that has confirmed this address. Opening it accepts nothing.',
        `If you do not know ${inviter}, ignore this mail.`,
      ],
    }),
  },
  application_transferred: {
    text: ({ application, owner }: { application: string; owner: string }) => ({
      subject: 'Your application has a new owner',
      paragraphs: [
        `${owner} has taken over the application “${application}”, as you offered. You are a developer of it from now on.`,
      ],
      link: { words: 'Look at your applications', path: '/console/developer/applications' },
    }),
  },
  application_handed_on: {
    text: ({ application, applicationId }: { application: string; applicationId: string }) => ({
      subject: 'You own an application now',
      paragraphs: [
        `Whoever owned the application “${application}” has closed their account. You have worked on it for longest, so it is yours now.`,
        'If you do not want it, hand it to somebody else, or delete it.',
      ],
      link: { words: 'Look at the application', path: `/console/developer/applications/${applicationId}/people` },
    }),
  },
} satisfies Record<string, MailKind<never>>
