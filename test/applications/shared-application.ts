import { randomBytes } from 'node:crypto'
import { makePartitions } from '../../src/db/partitions.ts'
import { applicationInvitations, applicationMembers, requestLog, users } from '../../src/db/schema/index.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { listSecrets } from '../../src/domain/applications/client-secrets.ts'
import { removeMember } from '../../src/domain/applications/people/members.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { testSubscription } from '../../src/domain/webhooks/deliveries/test-delivery.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'

/** Whoever may have to do with an application. `invited`: has not accepted yet; `former`: was a developer. */
export const parties = ['owner', 'developer', 'viewer', 'stranger', 'invited', 'former'] as const
export type Party = (typeof parties)[number]
type Acting = Awaited<ReturnType<FactorsApp['actingAs']>>

/** The service, and people who have just logged in, one of each kind. */
export async function createPartiesApp() {
  const app = await createFactorsApp()
  await makePartitions(app.context.db, app.clock.at)
  return { app, people: await createParties(app) }
}

async function createParties(app: FactorsApp): Promise<Record<Party, Acting>> {
  const entries = []
  for (const party of parties) entries.push([party, await app.actingAs(await app.person())] as const)
  await app.context.db.update(users).set({ emailVerifiedAt: app.clock.at })
  return Object.fromEntries(entries) as Record<Party, Acting>
}

/** An application of the owner's with one of each thing that an application has, and with its people. */
export async function createSharedApplication(people: Record<Party, Acting>) {
  const ctx = people.owner
  const name = `Shared ${randomBytes(6).toString('hex')}`
  const { id } = await createApplication(ctx, { name, confidential: true, redirect_uris: ['https://a.example/cb'] })
  const key = await createKey(ctx, { application_id: id, name: 'CI', expires_in_days: 5 })
  const [secret] = await listSecrets(ctx, { id })
  const wanted = { application_id: id, url: 'http://127.0.0.1:9/hook', event_types: ['chat.message.sent'] }
  const subscription = await createSubscriptionForApplication(ctx, wanted)
  const { delivery_id } = await testSubscription(ctx, { id: subscription.id })
  const requestId = `asked-${randomBytes(8).toString('hex')}`
  const at = ctx.now()
  const failed = { operation: 'GET /v1/channels/{slug}', status: 404, code: 'channel_not_found', durationMs: 1 }
  await ctx.db.insert(requestLog).values({ id: newId('request', at), clientId: id, requestId, ...failed })
  const roles = { developer: 'developer', viewer: 'viewer', former: 'developer' } as const
  const members = Object.entries(roles).map(([party, role]) => {
    const { userId } = people[party as Party].principal
    return { clientId: id, userId, role, joinedAt: at }
  })
  await ctx.db.insert(applicationMembers).values(members)
  await removeMember(ctx, { application_id: id, user_id: people.former.principal.userId })
  const invitation = { id: newId('invitation', at), clientId: id, role: 'developer', hash: randomBytes(32) } as const
  const address = `${people.invited.principal.username}@example.com`
  await ctx.db
    .insert(applicationInvitations)
    .values({ ...invitation, address, invitedBy: ctx.principal.userId, createdAt: at, expiresAt: inMs(60_000) })
  return {
    id,
    name,
    key: key.key,
    keyId: key.id,
    secretId: secret?.id ?? '',
    subscriptionId: subscription.id,
    deliveryId: delivery_id,
    invitationId: invitation.id,
    viewerId: people.viewer.principal.userId,
    requestId,
    wanted,
  }
}
export type SharedApplication = Awaited<ReturnType<typeof createSharedApplication>>
