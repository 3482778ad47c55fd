import { afterAll, describe, expect, test } from 'vitest'
import { createApplication } from '../../src/domain/applications/applications.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { listEventTypes } from '../../src/domain/events/type-list.ts'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { enableWebhook } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { getWebhook } from '../../src/domain/webhooks/subscriptions/overview.ts'
import {
  createForApplication,
  deleteOwned,
  disableOwned,
} from '../../src/domain/webhooks/subscriptions/owner-actions.ts'
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
    const { id, signing_secret } = await createForApplication(ada, wanted)
    expect(signing_secret).toMatch(/^whsec_/)
    expect(await getWebhook(ada, { id })).toMatchObject({ application_id, user_id: null, status: 'enabled' })
    expect(JSON.stringify(await getWebhook(ada, { id }))).not.toContain(signing_secret)
  })

  test('disables and enables a subscription, and deletes it', async () => {
    const { id } = await createForApplication(ada, wanted)
    await disableOwned(ada, { id })
    await disableOwned(ada, { id })
    expect(await getWebhook(ada, { id })).toMatchObject({ status: 'disabled', disabled_reason: 'owner' })
    await enableWebhook(ada, { id })
    expect(await getWebhook(ada, { id })).toMatchObject({ status: 'enabled', disabled_reason: null })
    await deleteOwned(ada, { id })
    await expect(getWebhook(ada, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    await expect(deleteOwned(ada, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
  })

  test('cannot do what the application itself could not', async () => {
    const moderation = { ...wanted, event_types: ['moderation.ban.created'] }
    await expect(createForApplication(ada, moderation)).rejects.toMatchObject({ code: 'user_token_required' })
    const { id } = await createApplication(ada, { name: 'Reader', confidential: true, scopes: ['chat:read'] })
    const unregistered = createForApplication(ada, { ...wanted, application_id: id })
    await expect(unregistered).rejects.toMatchObject({ code: 'invalid_scope' })
  })

  test('is nobody else', async () => {
    const { id } = await createForApplication(ada, wanted)
    await expect(createForApplication(bob, wanted)).rejects.toMatchObject({ code: 'not_found' })
    await expect(disableOwned(bob, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    await expect(deleteOwned(bob, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    expect(await getWebhook(ada, { id })).toMatchObject({ status: 'enabled' })
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
