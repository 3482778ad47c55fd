import { afterAll, describe, expect, test } from 'vitest'
import { connect, databaseOver } from '../../src/db/client.ts'
import { endClient } from '../../src/db/pools.ts'
import { webhookSubscriptions } from '../../src/db/schema/index.ts'
import { sendMessage } from '../../src/domain/chat.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { watchDeliveries } from '../../src/domain/webhooks/deliveries/watch.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { disableSubscription } from '../../src/domain/webhooks/subscriptions/disable.ts'
import { caller } from '../support/flows.ts'
import { createWatchApp, refusal } from './support/live.ts'

const app = await createWatchApp()
afterAll(() => app[Symbol.asyncDispose]())
const { ada, bob, userToken: token, as, watch } = app

describe('deliveries.watch', () => {
  test('says that something has changed, to the owner alone', async () => {
    const client = await app.client()
    const of = { kind: 'application', clientId: client.id, scopes } as const
    const { id } = await createSubscription(
      { ...app.context, principal: of },
      { url: 'http://127.0.0.1:9/hook', event_types: ['chat.message.sent'] },
    )
    using stream = await watch('deliveries.watch', { subscription: id }, await app.token(scopes, { client }))
    expect((await stream.next()).data).toEqual({ changed: true })
    const changed = stream.next()
    await sendMessage(as(ada), { room_name: 'ada', content: 'to be delivered' })
    expect((await changed).data).toEqual({ changed: true })
    const again = stream.next()
    await disableSubscription({ ...app.context, principal: of }, { id })
    expect((await again).data).toEqual({ changed: true })
    expect(await app.context.db.select({ status: webhookSubscriptions.status }).from(webhookSubscriptions)).toEqual([
      { status: 'disabled' },
    ])
    using stranger = await watch('deliveries.watch', { subscription: id }, await app.token(scopes))
    expect((await stranger.next()).data).toMatchObject(refusal('subscription_not_found'))
  })
})

test('many who watch one subscription cost one look at it, whatever else happens on the site', async () => {
  const statements: string[] = []
  const client = connect(app.target, { max: 1 })
  const count = (text: string) => {
    statements.push(text)
    return () => {}
  }
  const slow = databaseOver(client, { watch: count })
  const { id: clientId } = await app.client()
  const application = { kind: 'application', clientId, scopes } as const
  const ctx = { ...app.context, slow, principal: application, caller: caller({ authorization: `Bearer ${token}` }) }
  const { id } = await createSubscription(ctx, { url: 'https://example.com/', event_types: ['livestream.started'] })
  const gone = new AbortController()
  const watching = await Promise.all(
    Array.from({ length: 15 }, () => watchDeliveries(ctx, { subscription: id }, gone.signal)),
  )
  await Promise.all(watching.map((changes) => changes.next()))
  const changed = Promise.all(watching.map((changes) => changes.next()))
  for (let n = 0; n < 5; n++) await sendMessage(as(bob), { room_name: 'bob', content: `${n}` })
  const before = statements.length
  await disableSubscription({ ...ctx, principal: { kind: 'operator' } }, { id })
  await changed
  expect(
    [before, statements.length].every((count) => count < 10),
    `${statements.length} statements`,
  ).toBe(true)
  gone.abort()
  await Promise.all(watching.map((changes) => changes.return(undefined)))
  await endClient(client)
})

describe('deliveries.follow', () => {
  const follow = async (input: object, credential?: string) => {
    const stream = await watch('deliveries.follow', input, credential ?? (await app.token(['webhook:write'])))
    const next = async () => {
      const { id, data } = await stream.next()
      return { mark: id, contents: contentsOf(data) }
    }
    return { ...stream, next }
  }
  const contentsOf = (data: unknown) =>
    (data as { events: { payload: string }[] }).events.map(({ payload }) => JSON.parse(payload).data.content)
  const say = (content: string) => sendMessage(as(bob), { room_name: 'bob', content })

  test('goes on behind a mark, from a time on, or from now; one that it did not give is refused', async () => {
    using begun = await follow({})
    const { mark, contents } = await begun.next()
    expect(contents).toEqual([])
    const since = app.context.now().toISOString()
    await say('one')
    await say('two')
    expect([await begun.next(), await begun.next()].flatMap(({ contents }) => contents)).toEqual(['one', 'two'])
    for (const input of [{ lastEventId: mark }, { since }]) {
      using later = await follow(input)
      await later.next()
      expect([await later.next(), await later.next()].flatMap(({ contents }) => contents)).toEqual(['one', 'two'])
    }
    for (const lastEventId of ['nonsense', `${mark}x`]) {
      using refused = await watch('deliveries.follow', { lastEventId }, await app.token(['webhook:write']))
      expect((await refused.next()).data).toMatchObject(refusal('invalid_cursor'))
    }
  })

  test('says so when what is behind a mark is not kept any more, and what can be had', async () => {
    using begun = await follow({})
    const { mark } = await begun.next()
    await say('long ago')
    await begun.next()
    app.clock.at = new Date() // much later: for today there are partitions
    await say('lately')
    const credential = await app.token(['webhook:write'])
    using refused = await watch('deliveries.follow', { lastEventId: mark }, credential)
    expect((await refused.next()).data).toMatchObject(refusal('cursor_expired'))
    using later = await follow({ since: '2026-01-01T00:00:00Z' }, credential)
    await later.next()
    expect((await later.next()).contents).toEqual(['lately'])
  })

  test('has no moderation for applications', async () => {
    const input = { types: ['moderation.ban.created'] }
    using refused = await watch('deliveries.follow', input, await app.token(['webhook:write']))
    expect((await refused.next()).data).toMatchObject(refusal('user_token_required'))
  })
})
