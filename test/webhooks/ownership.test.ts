import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { clients } from '../../src/db/schema/index.ts'
import { startSession } from '../../src/domain/access/sessions.ts'
import type { Principal } from '../../src/domain/core/actor.ts'
import type { ActorContext } from '../../src/domain/core/context.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { deleteReachedSubscription, deleteSubscription } from '../../src/domain/webhooks/subscriptions/delete.ts'
import { getSubscription } from '../../src/domain/webhooks/subscriptions/get.ts'
import { listSubscriptionDetails, listSubscriptions } from '../../src/domain/webhooks/subscriptions/list.ts'
import { requireSubscription } from '../../src/domain/webhooks/subscriptions/ownership.ts'
import { createTestApp } from '../support/app.ts'
import { caller } from '../support/flows.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

const [developer, ada, bob] = [await app.user('developer'), await app.user('ada'), await app.user('bob')]
const [ours, theirs] = [await app.client(), await app.client()]
await app.context.db.update(clients).set({ ownerId: developer.id }).where(eq(clients.id, ours.id))

const by = <Who extends ActorContext['principal']>(principal: Who) => ({ ...app.context, principal })
const application = (clientId: string) => by({ kind: 'application', clientId, scopes: ['webhook:write'] } as const)
const user = ({ id: userId, username }: { id: string; username: string }, clientId: string | null) =>
  by({ kind: 'user', userId, username, clientId, scopes: ['webhook:write'] } as const satisfies Principal)

const input = { url: 'https://hooks.customer.com/x', event_types: ['channel.updated'] }
const made = {
  application: (await createSubscription(application(ours.id), input)).id,
  ada: (await createSubscription(user(ada, ours.id), input)).id,
}

test.each<[who: string, ctx: ActorContext, owned: string[], reached?: string[]]>([
  ['the application', application(ours.id), [made.application], [made.application, made.ada]],
  ['another application', application(theirs.id), []],
  ['a user by a token of the application', user(ada, ours.id), [made.ada]],
  ['another user by a token of the application', user(bob, ours.id), []],
  ['the user by a token of another application', user(ada, theirs.id), []],
  ['the developer who owns the application, signed in', user(developer, null), [made.application, made.ada]],
  ['the user whom a subscription is about, signed in', user(ada, null), []],
  ['the operator', by({ kind: 'operator' }), [made.application, made.ada]],
])('%s has and reaches the same subscriptions, whatever is asked', async (_who, ctx, owned, reached = owned) => {
  const page = { limit: 100 }
  expect((await listSubscriptions(ctx, page)).items.map(({ id }) => id)).toEqual(owned)
  expect((await listSubscriptionDetails(ctx, page)).items.map(({ id }) => id)).toEqual(reached)
  for (const id of Object.values(made)) {
    const verbs = [getSubscription, (_: typeof ctx) => requireSubscription(ctx, id)]
    for (const verb of verbs) {
      if (reached.includes(id)) expect(await verb(ctx, { id })).toMatchObject({ id })
      else await expect(verb(ctx, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    }
    const deletions = [
      { remove: deleteSubscription, mine: owned },
      { remove: deleteReachedSubscription, mine: reached },
    ]
    for (const { remove, mine } of deletions) {
      if (mine.includes(id)) continue
      await expect(remove(ctx, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    }
  }
})

test('a login session belongs to no application, so it cannot use the operations of applications', async () => {
  const sid = await startSession({ ...app.context, caller: caller() }, developer.id, ['pwd'])
  const headers = { cookie: `sid=${sid}`, origin: app.base }
  const calls = [
    app.request('GET /trpc/events.list?input=%7B%7D', { headers }),
    app.request('POST /trpc/events.create', { headers, body: input }),
    app.request('POST /trpc/events.delete', { headers, body: { id: made.application } }),
  ]
  for (const { status, body } of await Promise.all(calls)) {
    expect([status, body.error.data.problem.code]).toEqual([403, 'forbidden'])
  }
})

test('an application reads, tests, replays and deletes at /trpc what it made for its users; REST shows and deletes its own alone', async () => {
  const token = await app.token(['webhook:write'], { client: ours })
  const { id } = await createSubscription(user(bob, ours.id), input)
  const ask = (name: string, fields: object) =>
    app.request(`GET /trpc/${name}?input=${encodeURIComponent(JSON.stringify(fields))}`, { token })
  const tell = (name: string, body: object) => app.request(`POST /trpc/${name}`, { token, body })
  expect((await ask('webhooks.get', { id })).body.result.data).toMatchObject({ id, user_id: bob.id })
  expect((await ask('deliveries.list', { subscription: id })).body.result.data.items).toEqual([])
  // no grant of this user lives, so nothing may be sent for them
  const replayed = await tell('deliveries.replay', { subscription: id, only: 'failed' })
  expect(replayed.body.error.data.problem.code).toBe('forbidden')
  expect((await tell('webhooks.test', { id })).body.result.data).toMatchObject({ n: 1 })
  for (const name of ['webhooks.enable', 'webhooks.disable', 'webhooks.rotateSecret']) {
    expect((await tell(name, { id })).status, name).toBe(403)
  }
  const rest = await app.request('GET /v1/events/subscriptions', { token })
  expect(rest.body.data.map((one: { id: string }) => one.id)).toEqual([made.application])
  expect((await app.request(`DELETE /v1/events/subscriptions/${id}`, { token })).status).toBe(404)
  expect((await tell('webhooks.delete', { id })).status).toBe(200)
  expect((await ask('webhooks.get', { id })).status).toBe(404)
})
