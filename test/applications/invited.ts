import { eq } from 'drizzle-orm'
import { users } from '../../src/db/schema/index.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import type { FactorsApp } from '../factors/people.ts'

export type Acting = Awaited<ReturnType<FactorsApp['actingAs']>>

/** Somebody who has just logged in, and has confirmed their address. */
export async function confirmedPerson(app: FactorsApp): Promise<Acting> {
  const person = await app.person()
  await app.context.db.update(users).set({ emailVerifiedAt: app.clock.at }).where(eq(users.id, person.id))
  return app.actingAs(person)
}

/** As a procedure for viewers calls. */
export const reading = (ctx: Acting) => ({ ...ctx, role: 'viewer' }) as const

/** The token of the newest invitation that an address has got by mail. */
export async function invitationTo(app: FactorsApp, address: string): Promise<string> {
  while ((await sendDueMails(app.context)) > 0);
  const links = app.sentMails.filter(({ to }) => to === address).map(({ text }) => text.link?.path ?? '')
  const link = links.findLast((path) => path.startsWith('/console/invitations?token='))
  if (!link) throw new Error(`Nobody invited ${address}`)
  return link.slice(link.indexOf('=') + 1)
}
