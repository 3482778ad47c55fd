import { afterAll, beforeAll, expect, test } from 'vitest'
import { disableUser, enableUser } from '../../src/domain/accounts/suspension.ts'
import { disableApplication, enableApplication } from '../../src/domain/applications/suspension.ts'
import { testSubscription } from '../../src/domain/webhooks/deliveries/test-delivery.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { enableSubscription } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Without a word of who did that: its owner may have. */
const forbidden = { code: 'forbidden', message: expect.not.stringContaining('operator') }
const event_types = ['chat.message.sent' as const]

test('a stopped application: its owner turns nothing on, makes nothing new and tests nothing, until it is let in', async () => {
  const { receiver, id } = await stage.scene()
  const application_id = stage.application.id
  const enable = () => enableSubscription(stage.asOwner(), { id })
  const create = () =>
    createSubscriptionForApplication(stage.asOwner(), { application_id, url: receiver.url, event_types })
  const send = () => testSubscription(stage.asOwner(), { id })
  await disableApplication(stage.context, application_id)
  for (const ask of [enable, create, send]) await expect(ask()).rejects.toMatchObject(forbidden)
  expect(receiver.requests).toEqual([])
  await enableApplication(stage.context, application_id)
  await enable()
  const made = await create()
  stage.secrets.set(made.id, [made.signing_secret])
  expect(await send()).toMatchObject({ status: 204 })
})

test('webhooks about a closed account cannot be turned on, whoever owns the application', async () => {
  const { id, user, health } = await stage.scene()
  await disableUser(stage.context, user.username)
  expect(await health()).toMatchObject({ status: 'disabled', disabledReason: 'grant_lost' })
  await expect(enableSubscription(stage.asOwner(), { id })).rejects.toMatchObject(forbidden)
  await enableUser(stage.context, user.username)
  await enableSubscription(stage.asOwner(), { id })
})

test.each([
  ['application', (of: string) => `update clients set disabled_at = %s where id = '${of}'`],
  ['account', (_: string, user: string) => `update users set disabled_at = %s where id = '${user}'`],
])('what waits for an enabled subscription is not claimed while its %s is closed, and not lost', async (_, change) => {
  const { user, say, receiver, done } = await stage.scene()
  await say()
  const set = (value: string) => stage.run(change(stage.application.id, user.id).replace('%s', value))
  await set('now()')
  await stage.work()
  expect(receiver.requests).toEqual([])
  await set('null')
  await stage.work()
  expect(await done()).toMatchObject([{ outcome: 'delivered' }])
})
