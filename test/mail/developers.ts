import { eq } from 'drizzle-orm'
import { users, webhookSubscriptions } from '../../src/db/schema/index.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import type { Context } from '../../src/domain/core/context.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { createTestContext } from '../support/context.ts'

type TestContext = Awaited<ReturnType<typeof createTestContext>>

/** Makes people who own applications. */
export function makesDevelopers({ context, user }: Pick<TestContext, 'context' | 'user'>) {
  const { db } = context
  let people = 0
  return async ({ isConfirmed = true } = {}) => {
    const person = await user(`dev_${++people}`)
    if (isConfirmed) await db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.id, person.id))
    const asOwner = {
      ...context,
      principal: { kind: 'user', userId: person.id, username: person.username, clientId: null, scopes: [] },
    } as const
    const application = async () => {
      const { id } = await createApplication(asOwner, { name: `App of ${person.username}`, confidential: true })
      const subscribe = async (set: Partial<typeof webhookSubscriptions.$inferInsert> = {}) => {
        const made = await createSubscriptionForApplication(asOwner, {
          application_id: id,
          url: 'http://127.0.0.1:9/hook?secret=1',
          event_types: ['chat.message.sent'],
          description: null,
        })
        await db.update(webhookSubscriptions).set(set).where(eq(webhookSubscriptions.id, made.id))
        return made.id
      }
      return { id, subscribe }
    }
    return { person, asOwner, application }
  }
}

/** Whoever owns applications, and what they are told of them by mail. */
export async function createNoticesContext() {
  const app = await createTestContext({ now: () => new Date() })
  const { context } = app

  /** Subjects and texts of what is sent now. */
  async function told(tell: (ctx: Context) => Promise<void>) {
    app.sentMails.length = 0
    await tell(context)
    while ((await sendDueMails(context)) > 0);
    return app.sentMails.map(({ to, text: { subject, paragraphs } }) => ({ to, subject, text: paragraphs.join('\n') }))
  }

  return { ...app, developer: makesDevelopers(app), told }
}
