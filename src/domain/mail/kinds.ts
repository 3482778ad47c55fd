import type { MailText } from '../core/context.ts'
import { accountMails } from './account-mails.ts'
import type { MailKind, MailSwitch } from './mail-kind.ts'
import { noticeMails } from './notice-mails.ts'
import { peopleMails } from './people-mails.ts'

/** Every mail that is ever sent. A new kind is a row of the table of its noun; whatever queues it gives its values. */
const mailKinds = { ...accountMails, ...noticeMails, ...peopleMails } satisfies Record<string, MailKind<never>>

export type MailKindName = keyof typeof mailKinds
export type MailValues<Name extends MailKindName> = Parameters<(typeof mailKinds)[Name]['text']>[0]

const kinds: Record<string, MailKind<never>> = mailKinds

/** The names of all kinds. A worker of an older release leaves alone what it does not know. */
export const knownKinds = Object.keys(mailKinds)

export const switchOf = (name: MailKindName): MailSwitch | undefined => kinds[name]?.switch

/** What a mail of this kind says. The values are those with which it was queued, so they fit the kind. */
export function textOf(name: string, values: unknown): MailText {
  const kind = kinds[name]
  if (!kind) throw new Error(`There is no kind of mail "${name}"`)
  const text = kind.text(values as never)
  return kind.switch === undefined ? text : { ...text, settings }
}

const settings = { words: 'Switch mails like this one off', path: '/console/account/notifications' } as const
