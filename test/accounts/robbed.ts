import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { mails, users } from '../../src/db/schema/index.ts'
import { changeEmail, verifyAddress } from '../../src/domain/accounts/addresses.ts'
import { requestReset, resetPassword } from '../../src/domain/accounts/forgotten-password.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { createFactorsApp } from '../factors/people.ts'
import { caller } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'

/** What a link says that was used, or has ended. */
export const dead = { code: 'invalid_request', message: expect.stringContaining('does not work any more') }
export const addressOf = ({ username }: { username: string }) => `${username}@example.com`

type Person = { id: string; username: string }

/** The service with people whose accounts somebody else gets at, and their mailboxes. */
export async function createRobbedApp() {
  const app = await createFactorsApp()
  const visitor = (address = '192.0.2.50') => ({ ...app.context, caller: caller({ address }) })

  async function mailsTo(address: string) {
    while ((await sendDueMails(app.context)) > 0);
    return app.sentMails.filter(({ to }) => to === address).map(({ text }) => text)
  }
  /** The token of the newest link to an address. */
  async function tokenTo(address: string, path: string): Promise<string> {
    const links = (await mailsTo(address)).flatMap(({ link }) => (link?.path.startsWith(path) ? [link.path] : []))
    return links.at(-1)?.replace(/.*token=/, '') ?? ''
  }
  async function forgot(user: Person): Promise<string> {
    await app.context.db.delete(mails)
    await requestReset(visitor(), user.username)
    await expect.poll(() => app.context.db.$count(mails)).toBeGreaterThan(0)
    const [row] = await app.context.db.select().from(users).where(eq(users.id, user.id))
    return tokenTo(row?.email ?? '', '/reset')
  }
  const reset = (token: string, password: string, endsCredentials = false) =>
    resetPassword(visitor(), { token, password, endsCredentials })

  /** Somebody with a confirmed address, and a thief who knows the password and has a session. */
  async function robbed() {
    const user = await app.person()
    const emailVerifiedAt = daysAgo(30)
    await app.context.db.update(users).set({ emailVerifiedAt }).where(eq(users.id, user.id))
    return { user, thief: await app.actingAs(user, '198.51.100.7') }
  }
  const daysAgo = (days: number) => new Date(app.context.now().getTime() - days * 86_400_000)
  /** Gives the account another address, and confirms it. */
  async function moveTo(address: string, user: Person, password = PASSWORD) {
    await changeEmail(await app.actingAs(user, '198.51.100.7'), { email: address, password })
    await verifyAddress(visitor(), await tokenTo(address, '/verify'))
  }

  return { ...app, visitor, mailsTo, tokenTo, forgot, reset, robbed, daysAgo, moveTo }
}
export type RobbedApp = Awaited<ReturnType<typeof createRobbedApp>>
