import { and, desc, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applicationMembers, grants } from '../../src/db/schema/index.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { type Scope, scopes } from '../../src/domain/core/scopes.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { updateSubscription } from '../../src/domain/webhooks/subscriptions/update.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { CALLBACK } from '../support/flows.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const url = 'http://127.0.0.1:9/hook'
const chat = ['chat.message.sent']
const bans = ['chat.message.sent', 'moderation.ban.created']

/** What the console asks for them. */
const inConsole = <Of>(ctx: Of) => ({ ...ctx, role: 'developer' as const })

/** An application, and a developer of it beside its owner; both have just logged in. */
async function sharedApplication(registered: readonly Scope[] = scopes) {
  const [owner, developer] = [await app.actingAs(await app.person()), await app.actingAs(await app.person())]
  const wanted = { name: 'Shared', confidential: true, redirect_uris: [CALLBACK], scopes: registered }
  const { id } = await createApplication(owner, wanted)
  const { userId } = developer.principal
  const member = { clientId: id, userId, role: 'developer', joinedAt: app.clock.at } as const
  await app.context.db.insert(applicationMembers).values(member)
  const grantsOf = async () => {
    const theirs = and(eq(grants.clientId, id), eq(grants.userId, userId))
    const rows = await app.context.db.select().from(grants).where(theirs).orderBy(desc(grants.id))
    return rows.map((grant) => grant.scopes)
  }
  const hear = (event_types: string[]) =>
    createSubscriptionForApplication(inConsole(developer), { application_id: id, channel: 'own', url, event_types })
  return { owner, developer, hear, grantsOf }
}

describe('whoever has an application hear their own channel allows it that, and nothing else', () => {
  test.each([
    ['chat', chat, scopes, ['webhook:write']],
    ['bans', bans, scopes, ['webhook:write', 'moderation:read']],
    [
      'bans, where it is registered to ban alone',
      bans,
      scopes.filter((one) => one !== 'moderation:read'),
      ['webhook:write', 'moderation:write'],
    ],
  ])('%s', async (_, types, registered, allowed) => {
    const { hear, grantsOf } = await sharedApplication(registered)
    await hear(types)
    await hear(types)
    expect(await grantsOf()).toEqual([allowed])
  })

  test('only they themselves have it hear more of it', async () => {
    const { owner, developer, hear, grantsOf } = await sharedApplication()
    const { id } = await hear(chat)
    const asked = { id, event_types: bans }
    await expect(updateSubscription(inConsole(owner), asked)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await grantsOf()).toEqual([['webhook:write']])
    expect(await updateSubscription(inConsole(developer), asked)).toMatchObject({ event_types: bans })
    expect(await grantsOf()).toEqual([['webhook:write', 'moderation:read'], ['webhook:write']])
  })

  test('an application that is registered for no moderation hears none, whoever asks', async () => {
    const { developer, hear, grantsOf } = await sharedApplication(['webhook:write'])
    await expect(hear(bans)).rejects.toMatchObject({ code: 'insufficient_scope' })
    const { id } = await hear(chat)
    const asked = updateSubscription(inConsole(developer), { id, event_types: bans })
    await expect(asked).rejects.toMatchObject({ code: 'forbidden' })
    expect(await grantsOf()).toEqual([['webhook:write']])
  })
})
