import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { users } from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { closeOwnAccount } from '../../src/domain/accounts/closing/close.ts'
import { eraseClosed } from '../../src/domain/accounts/closing/erase.ts'
import { isPassword } from '../../src/domain/accounts/passwords.ts'
import { getCategory, listCategories } from '../../src/domain/categories.ts'
import { listChannels } from '../../src/domain/channels.ts'
import { listMessages } from '../../src/domain/chat.ts'
import { apiScopes, scopes } from '../../src/domain/core/scopes.ts'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { actingAs, createPerson } from '../../src/domain/demo/people.ts'
import { prepareDemo } from '../../src/domain/demo/prepare.ts'
import { listLivestreams } from '../../src/domain/livestream-list.ts'
import { endLivestream, getLivestream } from '../../src/domain/livestreams.ts'
import { authenticateClient } from '../../src/domain/oauth/client/authenticate-client.ts'
import { examples } from '../../src/shared/examples.ts'
import { grantTypes as everyGrantType } from '../../src/shared/grants.ts'
import { createTestContext } from '../support/context.ts'

let test_: Awaited<ReturnType<typeof createTestContext>>
let demo: DemoCredentials

beforeAll(async () => {
  test_ = await createTestContext()
  demo = await prepareDemo(test_.context, undefined)
})
afterAll(() => test_[Symbol.asyncDispose]())

const caller = {
  authorization: undefined,
  session: undefined,
  address: '127.0.0.1',
  isForwarded: false,
  requestId: 'r',
  userAgent: undefined,
}

/** Every credential, tried. */
async function tryAll({ client, other_client, public_client, api_key, users: people }: DemoCredentials) {
  const ctx = { ...test_.context, caller }
  for (const { client_id: id, client_secret: secret } of [client, other_client]) {
    const { grantTypes, scopes: registered } = await authenticateClient(ctx, { id, secret, scheme: 'Basic' })
    expect(grantTypes.toSorted()).toEqual([...everyGrantType].toSorted())
    expect(registered.toSorted()).toEqual(scopes.toSorted())
  }
  const desktop = { id: public_client.client_id, secret: undefined, scheme: 'Bearer' } as const
  expect((await authenticateClient(ctx, desktop)).grantTypes).not.toContain('client_credentials')
  expect(await authenticate(ctx, api_key)).toMatchObject({ kind: 'application', clientId: client.client_id })
  expect((await authenticate(ctx, api_key)).scopes.toSorted()).toEqual(apiScopes.toSorted())
  for (const { id, username, password, access_token } of Object.values(people)) {
    expect(await authenticate(ctx, access_token)).toMatchObject({ kind: 'user', userId: id, username })
    const [row] = await ctx.db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, id))
    expect(await isPassword({}, password, row?.hash)).toBe(true)
  }
}

describe('the demonstration', () => {
  test('has credentials that work, in the shape of demo.json', async () => {
    expect(DemoCredentials.parse(demo)).toEqual(demo)
    expect(demo.client.redirect_uri).toBe('http://127.0.0.1:4000/callback')
    expect(demo.other_client.redirect_uri).toBe('http://127.0.0.1:4001/callback')
    expect(demo.public_client.redirect_uri).toBe('http://127.0.0.1/callback')
    await tryAll(demo)
  })

  test('has what the examples of the document name', async () => {
    const { streamer, viewer, outsider } = demo.users
    expect([streamer.id, viewer.id, outsider.id]).toEqual([examples.userId, examples.viewerId, examples.outsiderId])
    expect(streamer.username).toBe(examples.username)
    expect(await getCategory(test_.context, examples.categoryId)).toMatchObject({ slug: examples.category })
    const channel = { id: examples.userId, username: examples.username }
    expect(await getLivestream(test_.context, examples.livestreamId)).toMatchObject({ channel })
  })

  test('leaves an identifier of an example to whoever has it', async () => {
    await using taken = await createTestContext()
    const { context } = taken
    const at = context.now()
    const other = { id: examples.userId, username: 'other', email: 'other@example.com', createdAt: at, updatedAt: at }
    await context.db.insert(users).values(other)
    const { streamer } = (await prepareDemo(context, undefined)).users
    expect(streamer.id).not.toBe(examples.userId)
    const { items } = await listLivestreams(context, { limit: 100, broadcaster_user_id: streamer.id })
    expect(items).toMatchObject([{ id: examples.livestreamId }])
    await endLivestream(actingAs(context, streamer))
    await prepareDemo(context, undefined)
    const again = await listLivestreams(context, { limit: 100, broadcaster_user_id: streamer.id })
    expect(again.items.map(({ id }) => id)).not.toContain(examples.livestreamId)
    expect(again.items).toHaveLength(1)
  })

  test('has enough to fill pages', async () => {
    const ctx = test_.context
    expect((await listChannels(ctx, { limit: 100 })).items.length).toBeGreaterThanOrEqual(60)
    expect((await listCategories(ctx, { limit: 100 })).items.length).toBeGreaterThanOrEqual(6)
    expect((await listMessages(ctx, { room_name: 'streamer', limit: 100 })).items.length).toBeGreaterThan(0)
    const { items } = await listLivestreams(ctx, { limit: 100 })
    expect(items.map(({ channel }) => channel?.username)).toContain('streamer')
  })

  test('is the same after a restart: nothing twice, what is known goes on working', async () => {
    const before = await listChannels(test_.context, { limit: 100 })
    const again = await prepareDemo(test_.context, demo)
    expect(await listChannels(test_.context, { limit: 100 })).toEqual(before)
    expect(again.client).toEqual(demo.client)
    expect(again.api_key).toBe(demo.api_key)
    expect(again.users.viewer).toMatchObject({ id: demo.users.viewer.id, password: demo.users.viewer.password })
    expect(again.users.viewer.access_token).not.toBe(demo.users.viewer.access_token)
    await tryAll(again)
    expect((await listMessages(test_.context, { room_name: 'streamer', limit: 100 })).items).toHaveLength(8)
  })

  test('makes new credentials where the known ones were lost, as often as that happens', async () => {
    for (let lost = 0; lost < 12; lost++) await prepareDemo(test_.context, undefined)
    const renewed = await prepareDemo(test_.context, undefined)
    expect(renewed.client.client_id).toBe(demo.client.client_id)
    expect(renewed.users.streamer.id).toBe(demo.users.streamer.id)
    await tryAll(renewed)
  })

  test('has its streamer live again after the stream was ended', async () => {
    const { streamer } = demo.users
    const principal = { kind: 'user', userId: streamer.id, username: 'streamer', clientId: null, scopes } as const
    await endLivestream({ ...test_.context, principal })
    await prepareDemo(test_.context, undefined)
    const { items } = await listLivestreams(test_.context, { limit: 10, broadcaster_user_id: streamer.id })
    expect(items).toHaveLength(1)
  })

  test.each(['closed', 'erased'])('is whole again at the next start when its owner was %s', async (state) => {
    const { streamer } = demo.users
    const ctx = { ...actingAs(test_.context, streamer), caller }
    await closeOwnAccount(ctx, { username: 'streamer' })
    if (state === 'erased') {
      await test_.elapse(users, 'eraseAt', 31 * 86_400_000)
      await eraseClosed(test_.context)
    }
    await expect(authenticate(test_.context, demo.api_key)).rejects.toMatchObject({ code: 'invalid_token' })
    demo = await prepareDemo(test_.context, demo)
    await tryAll(demo)
    expect(demo.users.streamer.id).toBe(streamer.id)
  })
})

test('is stored a little at a time: no statement waits behind so many others that it would look slow', async () => {
  await using own = await createTestContext()
  const inFlight = { now: 0, most: 0 }
  const watch = () => () => {
    inFlight.most = Math.max(inFlight.most, ++inFlight.now)
    return () => void inFlight.now--
  }
  await using pools = openPools(own.target, { watch })
  await prepareDemo({ ...own.context, db: pools.db }, undefined)
  expect(inFlight.most).toBeGreaterThan(0)
  expect(inFlight.most).toBeLessThanOrEqual(8)
})

test('a stranger who bears a name of the demonstration keeps the account to themselves', async () => {
  await using own = await createTestContext()
  await own.user('streamer')
  await expect(prepareDemo(own.context, undefined)).rejects.toThrow(/"streamer", which belongs to somebody else/)
  await expect(createPerson(own.context, 'streamer')).rejects.toThrow('taken')
})
