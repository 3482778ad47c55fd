import { afterAll, describe, expect, test } from 'vitest'
import { createApplication } from '../../src/domain/applications/applications.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { listEventTypes } from '../../src/domain/events/type-list.ts'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { deleteSubscription } from '../../src/domain/webhooks/subscriptions/delete.ts'
import { disableSubscription } from '../../src/domain/webhooks/subscriptions/disable.ts'
import { enableSubscription } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { getSubscription } from '../../src/domain/webhooks/subscriptions/get.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const as = async (username: string): Promise<UserContext> => {
  const { id: userId } = await app.user(username)
  return { ...app.context, principal: { kind: 'user', userId, username, clientId: null, scopes } }
}
const ada = await as('ada')
const bob = await as('bob')
const { id: application_id } = await createApplication(ada, { name: 'Bot', confidential: true })
const wanted = { application_id, url: 'http://127.0.0.1:9/hook', event_types: ['chat.message.sent'] }

describe('the owner of an application', () => {
  test('subscribes it to events of every channel, and sees the secret this once', async () => {
    const { id, signing_secret } = await createSubscriptionForApplication(ada, wanted)
    expect(signing_secret).toMatch(/^whsec_/)
    expect(await getSubscription(ada, { id })).toMatchObject({ application_id, user_id: null, status: 'enabled' })
    expect(JSON.stringify(await getSubscription(ada, { id }))).not.toContain(signing_secret)
  })

  test('disables and enables a subscription, and deletes it', async () => {
    const { id } = await createSubscriptionForApplication(ada, wanted)
    await disableSubscription(ada, { id })
    await disableSubscription(ada, { id })
    expect(await getSubscription(ada, { id })).toMatchObject({ status: 'disabled', disabled_reason: 'owner' })
    await enableSubscription(ada, { id })
    expect(await getSubscription(ada, { id })).toMatchObject({ status: 'enabled', disabled_reason: null })
    await deleteSubscription(ada, { id })
    await expect(getSubscription(ada, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    await expect(deleteSubscription(ada, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
  })

  test('cannot do what the application itself could not', async () => {
    const moderation = { ...wanted, event_types: ['moderation.ban.created'] }
    await expect(createSubscriptionForApplication(ada, moderation)).rejects.toMatchObject({
      code: 'user_token_required',
    })
    const { id } = await createApplication(ada, { name: 'Reader', confidential: true, scopes: ['chat:read'] })
    const unregistered = createSubscriptionForApplication(ada, { ...wanted, application_id: id })
    await expect(unregistered).rejects.toMatchObject({ code: 'invalid_scope' })
  })

  test('is nobody else', async () => {
    const { id } = await createSubscriptionForApplication(ada, wanted)
    await expect(createSubscriptionForApplication(bob, wanted)).rejects.toMatchObject({ code: 'not_found' })
    await expect(disableSubscription(bob, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    await expect(deleteSubscription(bob, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    expect(await getSubscription(ada, { id })).toMatchObject({ status: 'enabled' })
  })
})

test('the catalogue describes every type, with a sample that has what its schema asks for', () => {
  const types = listEventTypes()
  expect(types.map(({ type }) => type)).toEqual([...subscribableTypes, 'webhook.test'])
  for (const { schema, sample, description } of types) {
    expect(Object.keys(sample)).toEqual(expect.arrayContaining(schema.required as string[]))
    expect(description).toMatch(/\.$/)
  }
})
