import type { MailKind } from './mail-kind.ts'
import { shownApplication } from './shown-names.ts'

type Invited = { application: string; inviter: string; role: 'viewer' | 'developer' | 'owner'; token: string }

type HandedOn = { application: string; applicationId: string; others?: readonly string[] }

const asked = {
  viewer: 'to read along in',
  developer: 'to work on',
  owner: 'to take over',
} as const

const KEYS_ENDED =
  'API keys, client secrets, public keys and tokens of applications themselves have ended, because whoever had them before may know them: make new ones. Look at the webhooks, too, and roll their signing secrets.'
const NAMED_MAX = 20

/** Others than the first, if there are any. */
function othersOf(names: readonly string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > NAMED_MAX ? [`And ${names.length - NAMED_MAX} more.`] : []
  return ['So are:', ...names.slice(0, NAMED_MAX).map((name) => `– ${shownApplication(name)}`), ...more]
}

/** Mails about who belongs to an application: none of these can be switched off. */
export const peopleMails = {
  application_invitation: {
    text: ({ application, inviter, role, token }: Invited) => ({
      subject: role === 'owner' ? 'An application is offered to you' : 'You are invited to an application',
      paragraphs: [`${inviter} asks you ${asked[role]} ${shownApplication(application)}.`],
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
        `${owner} has taken over ${shownApplication(application)}, as you offered. You are a developer of it from now on.`,
        'If you offered it, there is nothing to do. If it was not you, somebody else has your password: ask for a new one at once (where your address was changed as well, by the mail that told you so), and tell whoever runs this service, who can give the application back to you.',
      ],
      link: { words: 'Ask for a new password', path: '/forgot' },
    }),
  },
  application_given: {
    text: ({ application, applicationId }: HandedOn) => ({
      subject: 'An application was given to you',
      paragraphs: [
        `Whoever runs this service has given ${shownApplication(application)} to you: you own it now, and who owned it before belongs to it no longer.`,
        KEYS_ENDED,
        'Look at its people and redirect addresses as well: what was there before is there still.',
      ],
      link: { words: 'Look at the application', path: `/console/developer/applications/${applicationId}/people` },
    }),
  },
  application_taken: {
    text: ({ application, owner }: { application: string; owner: string }) => ({
      subject: 'An application of yours has another owner',
      paragraphs: [
        `Whoever runs this service has given ${shownApplication(application)} to ${owner}. You do not belong to it any more.`,
        'If you think that it is yours, tell them so.',
      ],
      link: { words: 'Look at your applications', path: '/console/developer/applications' },
    }),
  },
  application_handed_on: {
    /** `others` are the names of those beside the first; who was queued by an older release has none. */
    text: ({ application, applicationId, others = [] }: HandedOn) => ({
      subject: others.length === 0 ? 'You own an application now' : 'You own applications now',
      paragraphs: [
        `Whoever owned ${shownApplication(application)} has closed their account. You have worked on it for longest, so it is yours now.`,
        ...othersOf(others),
        KEYS_ENDED,
        'If you do not want it, hand it to somebody else, or delete it.',
      ],
      link:
        others.length === 0
          ? { words: 'Look at the application', path: `/console/developer/applications/${applicationId}/people` }
          : { words: 'Look at your applications', path: '/console/developer/applications' },
    }),
  },
} satisfies Record<string, MailKind<never>>
