import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditLog, grants, webhookSubscriptionTypes } from '../../src/db/schema/index.ts'
import type { CallerContext } from '../../src/domain/core/context.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { disableSubscription } from '../../src/domain/webhooks/subscriptions/disable.ts'
import { enableSubscription } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { getSubscription } from '../../src/domain/webhooks/subscriptions/get.ts'
import { updateSubscription } from '../../src/domain/webhooks/subscriptions/update.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

/** The owner of the application, signed in: a session has every scope. */
const owner = (): CallerContext => {
  const { principal } = stage.asOwner()
  return { ...stage.context, principal: { ...principal, scopes } }
}
const typesOf = async (id: string) => {
  const rows = await stage.context.db
    .select()
    .from(webhookSubscriptionTypes)
    .where(eq(webhookSubscriptionTypes.subscriptionId, id))
  return rows.map(({ type, channelId }) => `${type} ${channelId}`).toSorted()
}
const audited = async (id: string) => {
  const rows = await stage.context.db.select().from(auditLog).where(eq(auditLog.targetId, id)).orderBy(auditLog.id)
  return rows.map(({ action, actorType, details }) => [action, actorType, details])
}

describe('what an update changes', () => {
  test('the address: what is pending goes there, with the same secret; the ledger stays, and the receiver is judged anew', async () => {
    const { id, secret, as, say, pass, receiver, change, health, done } = await stage.scene(() => ({ status: 500 }))
    const later = await stage.receiver()
    await say('delivered to nobody yet')
    await stage.work()
    const openUntil = new Date(Date.now() + 600_000)
    await change({
      consecutiveFailures: 7,
      failedAttempts: 30,
      openUntil,
      openForS: 900,
      sendWindow: 1,
      attemptMs: 9_000,
    })
    const updated = await updateSubscription(as, { id, url: later.url })
    expect(updated).toMatchObject({ id, url: later.url, status: 'enabled', failing_since: null, resting_until: null })
    const fresh = { consecutiveFailures: 0, failedAttempts: 0, firstFailureAt: null, openUntil: null, openForS: 0 }
    expect(await health()).toMatchObject({ ...fresh, sendWindow: 8, attemptMs: null })
    await pass()
    await stage.work()
    expect(receiver.requests).toHaveLength(1)
    expect(later.requests.map(({ event }) => event.id)).toEqual(receiver.requests.map(({ event }) => event.id))
    expect(stage.secrets.get(id)).toEqual([secret]) // and the stage verifies every request with it
    expect(await done()).toMatchObject([{ outcome: 'delivered', attempts: 2 }])
  })

  test('the types: from the next event on, and what is pending is sent all the same', async () => {
    const { id, as, user, say, receiver, queue } = await stage.scene()
    await say('pending')
    await updateSubscription(as, { id, event_types: ['channel.updated', 'livestream.started'] })
    expect(await typesOf(id)).toEqual([`channel.updated ${user.id}`, `livestream.started ${user.id}`])
    await say('not wanted any more')
    await stage.emit(1, user)
    expect((await queue()).map(({ type }) => type).toSorted()).toEqual(['chat.message.sent', 'livestream.started'])
    await stage.work()
    expect(receiver.requests).toHaveLength(2)
  })

  test('the description: null and empty take it away, and what is left out stays', async () => {
    const { id, url } = await stage.subscribe('https://hooks.customer.com/a')
    const say = async (description?: string | null) =>
      (await updateSubscription(stage.asApplication(), { id, description })).description
    expect([await say('Ours'), await say(), await say(null), await say('Again'), await say('')]).toEqual([
      'Ours',
      'Ours',
      null,
      'Again',
      null,
    ])
    expect(await getSubscription(owner(), { id })).toMatchObject({ url, event_types: ['chat.message.sent'] })
  })

  test('nothing, when it is so already: no time moves and nothing is written down', async () => {
    const { id, health, change } = await stage.scene(undefined, { types: ['channel.updated', 'chat.message.sent'] })
    await change({ consecutiveFailures: 3 })
    const before = [await health(), await audited(id)]
    const { url, event_types } = await getSubscription(owner(), { id })
    await updateSubscription(owner(), { id })
    await updateSubscription(owner(), { id, url, event_types: event_types.toReversed(), description: null })
    expect([await health(), await audited(id)]).toEqual(before)
  })

  test('not its status: a disabled one is enabled by a step of its own', async () => {
    const { id } = await stage.subscribe('https://hooks.customer.com/b')
    await disableSubscription(owner(), { id })
    const updated = await updateSubscription(owner(), { id, url: 'https://hooks.customer.com/c' })
    expect(updated).toMatchObject({ status: 'disabled', disabled_reason: 'owner' })
  })

  test('who changed what is written down, and no address', async () => {
    const { id } = await stage.subscribe('https://hooks.customer.com/d?key=confidential')
    await updateSubscription(stage.asApplication(), { id, url: 'https://hooks.customer.com/e?key=confidential' })
    await updateSubscription(owner(), { id, event_types: ['channel.updated'], description: 'Ours' })
    await disableSubscription(owner(), { id })
    await enableSubscription(owner(), { id })
    expect(await audited(id)).toEqual([
      ['signing_secret.created', 'client', {}],
      ['subscription.updated', 'client', { changed: ['url'] }],
      ['subscription.updated', 'user', { changed: ['event_types', 'description'] }],
      ['subscription.disabled', 'user', {}],
      ['subscription.enabled', 'user', {}],
    ])
  })

  test('an answer 410 of the address before does not disable the new one', async () => {
    const { id, as, say, health, done } = await stage.scene(async () => {
      await updateSubscription(as, { id, url: 'https://hooks.customer.com/new' })
      return { status: 410 }
    })
    await say()
    await stage.work()
    expect(await health()).toMatchObject({ status: 'enabled', disabledReason: null })
    expect(await done()).toMatchObject([{ outcome: 'failed', reason: 'gone' }])
  })
})

describe('what an update refuses, with nothing changed', () => {
  test.each([
    [{ url: 'ftp://hooks.customer.com/' }, 'invalid_url'],
    [{ url: 'https://user@hooks.customer.com/' }, 'invalid_url'],
    [{ url: 'http://169.254.169.254/latest' }, 'invalid_url'],
    [{ event_types: ['chat.message'] }, 'unknown_event_type'],
    [{ event_types: ['moderation.ban.created'] }, 'user_token_required'],
  ])('%j: %s', async (change, code) => {
    const { id } = await stage.subscribe('https://hooks.customer.com/f')
    const before = await stage.subscription(id)
    const asked = { id, description: 'Changed', ...change }
    for (const ctx of [stage.asApplication(), owner()]) {
      await expect(updateSubscription(ctx, asked)).rejects.toMatchObject({ code })
    }
    expect(await stage.subscription(id)).toEqual(before)
  })

  test('moderation needs a token with a scope for it, and a grant that covers it', async () => {
    const { id, as, user, change, health } = await stage.scene()
    const wanted = { id, event_types: ['moderation.ban.created', 'chat.message.sent'] }
    const narrow = stage.asUser(user, ['webhook:write'])
    await expect(updateSubscription(narrow, wanted)).rejects.toMatchObject({ code: 'insufficient_scope' })
    const limit = (granted: string[]) =>
      stage.context.db.update(grants).set({ scopes: granted }).where(eq(grants.userId, user.id))
    await limit(['webhook:write', 'chat:read'])
    for (const ctx of [as, owner()]) {
      await expect(updateSubscription(ctx, wanted)).rejects.toMatchObject({ code: 'forbidden' })
    }
    expect(await health()).toMatchObject({ eventTypes: ['chat.message.sent'] })
    await limit(['webhook:write', 'moderation:read'])
    expect(await updateSubscription(as, wanted)).toMatchObject({ event_types: wanted.event_types })
    await change({ deletedAt: new Date() })
  })

  test('an application changes its own, those of its users only with their tokens; strangers find nothing', async () => {
    const { id, as, health } = await stage.scene()
    const before = await health()
    const change = { id, url: 'https://hooks.attacker.com/' }
    await expect(updateSubscription(stage.asApplication(), change)).rejects.toMatchObject({
      code: 'user_token_required',
    })
    const stranger = await stage.user('stranger')
    const other = (await stage.client()).id
    const strangers = [
      stage.asUser(stranger),
      stage.asUser({ id: as.principal.userId, username: 'x' }, scopes, other),
      stage.asApplication(other),
      { ...owner(), principal: { ...stage.asOwner().principal, userId: stranger.id, scopes } },
    ]
    for (const ctx of strangers) {
      await expect(updateSubscription(ctx, change)).rejects.toMatchObject({ code: 'subscription_not_found' })
    }
    await expect(updateSubscription(owner(), { ...change, id: 'sub_x' })).rejects.toMatchObject({
      code: 'subscription_not_found',
    })
    expect(await health()).toEqual(before)
  })
})
