import { statement } from '../../src/db/statement.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import type { FactorsApp } from '../factors/people.ts'

/** What a mail is about whose link is wanted. */
const subjects = {
  reset: 'Set a new password',
  verify: 'Confirm your address',
  restore: 'Your account has another address',
}
export type LinkMail = keyof typeof subjects

const MAILED_MS = 10_000
const forgetMails = statement<[userId: string], never>('delete from mails where user_id = $1')

/**
 * The token of the link that was mailed to an account, whose addresses begin with its name; undefined where none was by the time that
 * the answer came. Nothing is left of its mails.
 */
export async function tokenMailed(
  { sentMails, context }: FactorsApp,
  user: { id: string; username: string },
  kind: LinkMail,
  answered?: Promise<void>,
): Promise<string | undefined> {
  const isTheirs = new RegExp(`^${user.username}(_\\d+)?@`)
  const sent = () => sentMails.find(({ to, text }) => isTheirs.test(to) && text.subject === subjects[kind])
  await answered
  const until = performance.now() + (answered === undefined ? MAILED_MS : 0)
  do await sendDueMails(context)
  while (!sent() && performance.now() < until)
  const path = sent()?.text.link?.path
  sentMails.length = 0
  await forgetMails(context.db, user.id)
  return path === undefined ? undefined : (new URL(path, 'http://x').searchParams.get('token') ?? undefined)
}
