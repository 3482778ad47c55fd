import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditLog } from '../../src/db/schema/index.ts'
import type { Principal } from '../../src/domain/core/actor.ts'
import type { ActorContext } from '../../src/domain/core/context.ts'
import type { LoggedEvent } from '../../src/domain/core/live.ts'
import { followEvents } from '../../src/domain/events/feed/follow-feed.ts'
import { eventsOf } from '../../src/domain/events/streams/stream-events.ts'
import { getDelivery, listDeliveries } from '../../src/domain/webhooks/deliveries/ledger.ts'
import { redeliver } from '../../src/domain/webhooks/deliveries/redeliver.ts'
import { replayDeliveries } from '../../src/domain/webhooks/deliveries/replay.ts'
import { testSubscription } from '../../src/domain/webhooks/deliveries/test-delivery.ts'
import { deleteSubscription } from '../../src/domain/webhooks/subscriptions/delete.ts'
import { enableSubscription } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { getSubscription } from '../../src/domain/webhooks/subscriptions/get.ts'
import { listSubscriptionDetails } from '../../src/domain/webhooks/subscriptions/list.ts'
import { rotateSigningSecret } from '../../src/domain/webhooks/subscriptions/rotate.ts'
import { caller } from '../support/flows.ts'
import { verifyReceived } from '../support/receiver.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const owner = (): ActorContext => stage.asOwner()
const page = { limit: 100 }
const last = <Item>(list: Item[]): Item => {
  const item = list.at(-1)
  if (item === undefined) throw new Error('The list is empty')
  return item
}
const verifies = (request: Parameters<typeof verifyReceived>[0], secret: string) => {
  try {
    verifyReceived(request, secret)
    return true
  } catch {
    return false
  }
}

describe('who may look', () => {
  test('the application itself, the user who owns it, the operator; everybody else finds nothing', async () => {
    const { id } = await stage.subscribe((await stage.receiver()).url)
    const stranger = await stage.user('stranger')
    const session = (userId: string): ActorContext => ({
      ...stage.context,
      principal: { kind: 'user', userId, username: 'x', clientId: null, scopes: [] },
    })
    const operator: ActorContext = { ...stage.context, principal: { kind: 'operator' } }
    for (const ctx of [owner(), stage.asApplication(), operator])
      expect((await getSubscription(ctx, { id })).id).toBe(id)
    const others = [session(stranger.id), stage.asApplication((await stage.client()).id)]
    for (const ctx of others) {
      for (const verb of [getSubscription, rotateSigningSecret, enableSubscription, testSubscription]) {
        await expect(verb(ctx, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
      }
      await expect(listDeliveries(ctx, { subscription: id, ...page })).rejects.toMatchObject({
        code: 'subscription_not_found',
      })
      await expect(replayDeliveries(ctx, { subscription: id, only: 'all' })).rejects.toMatchObject({
        code: 'subscription_not_found',
      })
      expect((await listSubscriptionDetails(ctx, page)).items).toEqual([])
    }
  })
})

describe('rotating the secret', () => {
  test('the new one signs at once, the old one beside it until it ends; at most three sign', async () => {
    const { id, secret: first, say, receiver } = await stage.scene()
    const { signing_secret: second } = await rotateSigningSecret(owner(), { id })
    stage.secrets.set(id, [first, second])
    await say('while both are alive')
    await stage.work()
    const request = last(receiver.requests)
    expect([first, second].map((secret) => verifies(request, secret))).toEqual([true, true])
    const secrets = [first, second]
    for (let n = 0; n < 3; n++) secrets.push((await rotateSigningSecret(owner(), { id })).signing_secret)
    stage.secrets.set(id, secrets)
    await say('after many')
    await stage.work()
    const later = last(receiver.requests)
    expect(later.headers['webhook-signature']?.split(' ')).toHaveLength(3)
    expect(secrets.map((secret) => verifies(later, secret))).toEqual([false, false, true, true, true])
    expect((await getSubscription(owner(), { id })).secrets).toHaveLength(3)
  })

  test('who made, rotated and ended it is written down, for the owner of the application to read', async () => {
    const { id } = await stage.subscribe((await stage.receiver()).url)
    await rotateSigningSecret(owner(), { id })
    await deleteSubscription(stage.asApplication(), { id })
    const found = await stage.context.db.select().from(auditLog).where(eq(auditLog.targetId, id)).orderBy(auditLog.id)
    expect(found.map(({ action, actorType, clientId }) => [action, actorType, clientId])).toEqual([
      ['signing_secret.created', 'client', stage.application.id],
      ['signing_secret.rotated', 'user', stage.application.id],
      ['signing_secret.revoked', 'client', stage.application.id],
    ])
  })

  test('one that was replaced signs until its time is over', async () => {
    const { id, secret, say, receiver } = await stage.scene()
    const { signing_secret } = await rotateSigningSecret(owner(), { id })
    stage.secrets.set(id, [secret, signing_secret])
    await stage.run(
      `update webhook_secrets set expires_at = now() where subscription_id = '${id}' and expires_at is not null`,
    )
    await say()
    await stage.work()
    expect(verifies(last(receiver.requests), secret)).toBe(false)
    expect(verifies(last(receiver.requests), signing_secret)).toBe(true)
  })

  test('without overlap the old one is gone at once', async () => {
    const { id, secret, say, receiver } = await stage.scene()
    const { signing_secret } = await rotateSigningSecret(owner(), { id, overlap_s: 0 })
    stage.secrets.set(id, [signing_secret])
    await say()
    await stage.work()
    expect(verifies(last(receiver.requests), secret)).toBe(false)
    expect(verifies(last(receiver.requests), signing_secret)).toBe(true)
  })
})

describe('a test', () => {
  test('is one attempt with sequence 0, also while disabled; it is never tried again and leaves the health alone', async () => {
    const { id, change, health, receiver, queue, done } = await stage.scene(() => ({ status: 500, body: 'not yet' }))
    await change({ status: 'disabled', disabledReason: 'owner', disabledAt: new Date() })
    const result = await testSubscription(owner(), { id })
    expect(result).toMatchObject({ n: 1, status: 500, error_class: null, response: 'not yet' })
    expect(last(receiver.requests).event).toMatchObject({
      type: 'webhook.test',
      sequence: 0,
      channel: { id: 'test', username: 'test' },
    })
    expect([await queue(), await done()]).toMatchObject([
      [],
      [{ id: result.delivery_id, outcome: 'failed', reason: 'test' }],
    ])
    expect(await health()).toMatchObject({ consecutiveFailures: 0, failedAttempts: 0 })
    await change({ status: 'enabled', disabledReason: null, disabledAt: null })
    await expect(redeliver(owner(), { id: result.delivery_id })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('of any type carries an example of it; there are ten a minute', async () => {
    const { id, receiver } = await stage.scene()
    await testSubscription(owner(), { id, type: 'moderation.ban.created' })
    expect(last(receiver.requests).event).toMatchObject({
      type: 'moderation.ban.created',
      data: { blocked_user: { username: 'streamer' } },
    })
    for (let n = 0; n < 9; n++) await testSubscription(owner(), { id })
    await expect(testSubscription(owner(), { id })).rejects.toMatchObject({ code: 'rate_limited' })
  })
})

describe('the ledger', () => {
  test('lists deliveries newest first, by outcome, type and time, and shows each attempt and what was sent', async () => {
    const { id, say, receiver } = await stage.scene((_, n) => ({ status: n === 1 ? 500 : 200, body: `answer ${n}` }))
    await say('first')
    await stage.work()
    await say('second')
    await stage.work()
    const list = async (filter: object = {}) =>
      (await listDeliveries(owner(), { subscription: id, ...page, ...filter })).items
    expect((await list()).map(({ outcome }) => outcome)).toEqual(['delivered', 'pending'])
    expect((await list({ outcome: 'pending' })).map(({ attempts }) => attempts)).toEqual([1])
    expect(await list({ outcome: 'failed' })).toEqual([])
    expect(await list({ type: 'channel.updated' })).toEqual([])
    expect(await list({ from: last(receiver.requests).event.timestamp })).toHaveLength(1)
    expect(await list({ to: last(receiver.requests).event.timestamp })).toHaveLength(1)
    const { items, next } = await listDeliveries(owner(), { subscription: id, limit: 1 })
    const rest = await listDeliveries(owner(), { subscription: id, limit: 1, cursor: next ?? '' })
    expect([...items, ...rest.items].map(({ outcome }) => outcome)).toEqual(['delivered', 'pending'])
    expect(rest.next).toBeNull()
    const pending = last(await list())
    const details = await getDelivery(owner(), { id: pending.id })
    expect(details.payload).toBe(receiver.requests[0]?.body.toString())
    expect(details.attempts_made).toMatchObject([{ n: 1, status: 500, error_class: null, response: 'answer 1' }])
    await expect(getDelivery(stage.asApplication((await stage.client()).id), pending)).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(getDelivery(owner(), { id: 'dlv_x' })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('says of each attempt what its status leaves open', async () => {
    const redirects = { status: 308, headers: { location: 'https://elsewhere.example/' } }
    const { id, say, queue } = await stage.scene(() => redirects)
    await say()
    await stage.work()
    const { attempts_made } = await getDelivery(owner(), { id: last(await queue()).id })
    const detail = expect.stringMatching(/leads to https:\/\/elsewhere\.example\/$/)
    expect(attempts_made).toMatchObject([{ status: 308, error_class: null, detail }])
    const tested = await testSubscription(owner(), { id })
    expect(tested).toMatchObject({ status: 308, detail })
    expect((await getDelivery(owner(), { id: tested.delivery_id })).attempts_made).toMatchObject([{ detail }])
  })

  test('what is sent again by hand goes out at once, also what was delivered or waits', async () => {
    const { say, receiver, queue, done } = await stage.scene((_, n) => ({ status: n === 1 ? 500 : 200 }))
    await say()
    await stage.work()
    await redeliver(owner(), { id: last(await queue()).id })
    await stage.work()
    await redeliver(owner(), { id: last(await done()).id })
    await stage.work()
    expect(receiver.requests.map(({ headers }) => headers['x-delivery-attempt'])).toEqual(['1', '2', '1'])
    expect(await done()).toMatchObject([{ outcome: 'delivered', attempts: 3 }])
  })
})

test('events can be listened to without a subscription: an application hears all but moderation, a user their channel', async () => {
  const { as, say, user } = await stage.scene()
  const since = stage.context.now().toISOString()
  await say('heard')
  await stage.emit(1)
  const heard = async (principal: Principal) => {
    const from = caller({ authorization: 'Bearer any' })
    const events = eventsOf(await followEvents({ ...stage.context, principal, caller: from }, { since }))
    await events.next()
    const { value = [] } = await events.next()
    await events.return(undefined)
    return (value as readonly LoggedEvent[]).map(({ type, payload }) => ({
      type,
      channel: JSON.parse(payload).channel.id,
    }))
  }
  const all = await heard(stage.asApplication().principal)
  expect(all.map(({ type }) => type)).toEqual(['chat.message.sent', 'livestream.started'])
  expect((await heard(as.principal)).map(({ channel }) => channel)).toEqual([user.id])
})
