import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendMessage } from '../../src/domain/chat.ts'
import { Keyring } from '../../src/domain/core/keyring.ts'
import type { Scope } from '../../src/domain/core/scopes.ts'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { reEncryptSecrets } from '../../src/domain/webhooks/secrets/re-encrypt.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { deleteSubscription } from '../../src/domain/webhooks/subscriptions/delete.ts'
import { listSubscriptions } from '../../src/domain/webhooks/subscriptions/list.ts'
import { checkDelivery } from '../../src/domain/webhooks/worker/startup-check.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const url = 'https://hooks.customer.com/x'
const types = ['channel.updated'] as const // nothing here emits it, so nothing goes out to that URL
const page = { limit: 100 }

describe('creating', () => {
  test('shows the secret once; the list never does, and nothing at rest holds it in the clear', async () => {
    const application = stage.asApplication((await stage.client()).id)
    const made = await createSubscription(application, { url, event_types: types, description: '' })
    expect(made).toMatchObject({ url, event_types: types, description: null, status: 'enabled' })
    expect(made.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { items } = await listSubscriptions(application, page)
    const { signing_secret, ...shown } = made
    expect(items).toEqual([shown])
    const [row] = await stage.context.db.execute<{ text: string }>(
      "select string_agg(w::text, '') as text from webhook_secrets w",
    )
    expect(row?.text).not.toContain(signing_secret.slice(6))
    expect(row?.text).not.toContain(Buffer.from(signing_secret).toString('hex'))
  })

  test('refuses a type that is none, and names all that are', async () => {
    for (const type of [
      'nope',
      'CHAT.MESSAGE.SENT',
      '*',
      '__proto__',
      'chat.message.sent ',
      'webhook.test',
      'x'.repeat(5_000),
    ]) {
      const refused = createSubscription(stage.asApplication(), { url, event_types: ['livestream.started', type] })
      const error = await refused.catch((reason: Error) => reason)
      expect(error).toMatchObject({ code: 'unknown_event_type' })
      for (const known of subscribableTypes) expect((error as Error).message).toContain(known)
      expect((error as Error).message.length).toBeLessThan(400)
    }
  })

  test('lets only a user with a moderation scope hear of moderation', async () => {
    const asked = { url, event_types: ['moderation.ban.created'] as const }
    const as = (...scopes: Scope[]) => stage.asUser(stage.ada, ['webhook:write', ...scopes])
    await expect(createSubscription(stage.asApplication(), asked)).rejects.toMatchObject({
      code: 'user_token_required',
    })
    await expect(createSubscription(as(), asked)).rejects.toMatchObject({
      code: 'insufficient_scope',
      details: { scopes: ['moderation:read', 'moderation:write'] },
    })
    for (const scope of ['moderation:read', 'moderation:write'] as const) {
      expect(await createSubscription(as(scope), asked)).toMatchObject({ status: 'enabled' })
    }
  })

  test('keeps each type once', async () => {
    const made = await createSubscription(stage.asApplication(), { url, event_types: [...types, ...types] })
    expect(made.event_types).toEqual(types)
  })

  test('is nothing for a login session, which stands for no application', async () => {
    const session = {
      ...stage.context,
      principal: { kind: 'user' as const, userId: stage.ada.id, username: 'ada', clientId: null, scopes: [] },
    }
    await expect(createSubscription(session, { url, event_types: types })).rejects.toMatchObject({ code: 'forbidden' })
  })
})

test('a user’s subscription gets that user’s channel, an application’s every channel; nobody else sees or deletes it', async () => {
  const [one, other] = [await stage.user('first_one'), await stage.user('other_one')]
  const [mine, theirs] = [await stage.client(), await stage.client()]
  const credentials = [
    stage.asApplication(mine.id),
    stage.asApplication(theirs.id),
    stage.asUser(one),
    stage.asUser(other),
  ]
  const receivers = await Promise.all(credentials.map(() => stage.receiver()))
  const made = []
  for (const [index, as] of credentials.entries()) made.push(await stage.subscribe(receivers[index]?.url ?? '', { as }))
  for (const who of [one, other])
    await sendMessage(stage.asUser(who), { room_name: who.username, content: who.username })
  await stage.work()
  const contents = receivers.map(({ requests }) => requests.map(({ event }) => event.data.content).toSorted())
  expect(contents).toEqual([['first_one', 'other_one'], ['first_one', 'other_one'], ['first_one'], ['other_one']])
  for (const [index, as] of credentials.entries()) {
    const seen = (await listSubscriptions(as, page)).items.map(({ id }) => id)
    for (const [owner, { id }] of made.entries()) {
      expect(seen.includes(id)).toBe(owner === index)
      if (owner === index) continue
      await expect(deleteSubscription(as, { id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    }
  }
})

test('the list is oldest first; walking it by its cursor yields each once', async () => {
  const application = stage.asApplication((await stage.client()).id)
  const made = []
  for (let n = 0; n < 5; n++) made.push((await createSubscription(application, { url, event_types: types })).id)
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const { items, next } = await listSubscriptions(application, { limit: 2, cursor })
    seen.push(...items.map(({ id }) => id))
    cursor = next ?? undefined
  } while (cursor !== undefined)
  expect(seen).toEqual(made)
})

test('deleting again, or something that is no identifier, is not found', async () => {
  const { id } = await createSubscription(stage.asApplication(), { url, event_types: types })
  await deleteSubscription(stage.asApplication(), { id })
  for (const gone of [id, 'sub_', '\0', 'evt_01kdyak3smes3b2cbbsxw14wnj']) {
    await expect(deleteSubscription(stage.asApplication(), { id: gone })).rejects.toMatchObject({
      code: 'subscription_not_found',
    })
  }
})

test('rows of a type that no longer exists break neither list, creation, deletion nor deliveries', async () => {
  const { id, as, receiver, say, change } = await stage.scene()
  await change({ eventTypes: ['chat.message.sent', 'raid.started'] })
  await stage.run(`insert into webhook_subscription_types values ('raid.started', '*', '${id}')`)
  await stage.run(`update webhook_deliveries set type = 'raid.started'`)
  await say()
  await stage.run(`update webhook_deliveries set type = 'raid.started' where subscription_id = '${id}'`)
  await stage.work()
  expect(receiver.requests[0]?.headers['x-event-type']).toBe('raid.started')
  expect((await listSubscriptions(as, page)).items[0]?.event_types).toContain('raid.started')
  await createSubscription(as, { url, event_types: types })
  await deleteSubscription(as, { id })
})

describe('keys of SECRET_KEYS', () => {
  const keys = () => randomBytes(32).toString('base64url')

  test('may be replaced: every key opens, the first seals, and an hour later the old one may go', async () => {
    const [old, fresh] = [keys(), keys()]
    await using own = await createStage({ keyring: new Keyring([old]) })
    const { say, receiver } = await own.scene()
    own.context.keyring = new Keyring([fresh, old])
    await checkDelivery(own.context)
    await say('under the old key')
    await own.work()
    expect(await reEncryptSecrets(own.context)).toBe(1)
    expect(await reEncryptSecrets(own.context)).toBe(0)
    own.context.keyring = new Keyring([fresh])
    await checkDelivery(own.context)
    await say('under the new one')
    await own.work()
    expect(receiver.requests).toHaveLength(2)
  })

  test('that are missing stop the start with one line; a delivery waits rather than go out unsigned', async () => {
    await using own = await createStage({ keyring: new Keyring([keys()]) })
    const { say, receiver, queue } = await own.scene()
    const { keyring } = own.context
    own.context.keyring = new Keyring([keys()])
    await expect(checkDelivery(own.context)).rejects.toThrow(/^SECRET_KEYS/)
    await say()
    await own.work()
    expect(receiver.requests).toEqual([])
    expect(await queue()).toMatchObject([{ attempts: 0, claims: 0, lease: null }])
    own.context.keyring = keyring
    await own.pass()
    await own.work()
    expect(receiver.requests).toHaveLength(1)
  })
})
