import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { grants } from '../../src/db/schema/index.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { emitEvent } from '../../src/domain/events/emit.ts'
import { expandFanout } from '../../src/domain/events/fanout.ts'
import { listAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { revokeGrants } from '../../src/domain/oauth/revoke-grants.ts'
import { redeliver } from '../../src/domain/webhooks/deliveries/redeliver.ts'
import { replayDeliveries, replayKinds } from '../../src/domain/webhooks/deliveries/replay.ts'
import { claimDue } from '../../src/domain/webhooks/queue/claim.ts'
import { loadContents } from '../../src/domain/webhooks/queue/load.ts'
import { sweepAllLapsed } from '../../src/domain/webhooks/queue/lost-grants.ts'
import { deleteHearingSubscription } from '../../src/domain/webhooks/subscriptions/delete.ts'
import { enableSubscription } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const ofUser = ({ id }: { id: string }) => `user_id = '${id}'`
const hour = `interval '1 hour'`
/** Ways in which consent ends that no verb of the service takes part in, and one that leaves a grant for other things. */
const ends: [how: string, end: (user: { id: string }) => string][] = [
  ['has expired', (user) => `update grants set expires_at = now() - ${hour} where ${ofUser(user)}`],
  ['was deleted', (user) => `delete from grants where ${ofUser(user)}`],
  ['was revoked', (user) => `update grants set revoked_at = now(), revoke_reason = 'user' where ${ofUser(user)}`],
  ['does not have the scope', (user) => `update grants set scopes = '{user:read}' where ${ofUser(user)}`],
]

/** The trigger that notes for whom events are knows nothing of consent, as it does not of anything that is under test. */
const forget = () =>
  stage.run(`update expected_deliveries set is_withdrawn = true where not exists (
    select from webhook_deliveries d where d.event_id = expected_deliveries.event_id)`)

describe.each(ends)('once the grant %s', (_, end) => {
  test('no event is queued for its subscription, whose status says so after the next sweep', async () => {
    const { user, say, queue, health } = await stage.scene()
    await stage.run(end(user))
    await say()
    await forget()
    expect(await queue()).toEqual([])
    await sweepAllLapsed(stage.context)
    expect(await health()).toMatchObject({ status: 'disabled', disabledReason: 'grant_lost' })
  })

  test('nothing that was queued before is claimed; it is held', async () => {
    const { user, say, receiver, done } = await stage.scene()
    await say()
    await stage.run(end(user))
    expect((await claimDue(stage.context, { lane: 0, limit: 100 })).rows).toEqual([])
    await stage.work()
    expect(receiver.requests).toEqual([])
    expect((await done()).map(({ outcome }) => outcome)).toEqual(['held'])
  })

  test('what was claimed before is not sent', async () => {
    const { user, say } = await stage.scene()
    await say()
    const { rows } = await claimDue(stage.context, { lane: 0, limit: 100 })
    await stage.run(end(user))
    const loaded = await loadContents(stage.context, rows)
    expect(rows.map(({ id }) => loaded.get(id)?.kind)).toEqual(['stopped'])
    await stage.pass(40_000)
    await stage.work()
  })

  test('neither a replay nor a redelivery sends anything, also before the next sweep', async () => {
    const { id, user, say, done } = await stage.scene()
    await say()
    await stage.work()
    const [sent] = await done()
    await stage.run(end(user))
    for (const only of replayKinds) {
      const replay = replayDeliveries(stage.asOwner(), { subscription: id, only })
      await expect(replay).rejects.toMatchObject({ code: 'forbidden' })
    }
    await expect(redeliver(stage.asOwner(), { id: sent?.id ?? '' })).rejects.toMatchObject({ code: 'forbidden' })
  })
})

test('after a new consent, what happened before it is not sent again', async () => {
  const { id, user, say, done, receiver } = await stage.scene()
  await say()
  await stage.work()
  await stage.run(`delete from grants where ${ofUser(user)}`)
  await sweepAllLapsed(stage.context)
  await stage.consent(user)
  await stage.run(`update grants set created_at = '${stage.context.now().toISOString()}' where ${ofUser(user)}`)
  await enableSubscription(stage.asOwner(), { id })
  const [sent] = await done()
  await expect(redeliver(stage.asOwner(), { id: sent?.id ?? '' })).rejects.toMatchObject({ code: 'forbidden' })
  expect(await replayDeliveries(stage.asOwner(), { subscription: id, only: 'all' })).toMatchObject({ queued: 0 })
  await say('after it')
  await stage.work()
  expect(receiver.requests.map(({ event }) => event.data.content)).toEqual(['hello', 'after it'])
})

test('moderation needs a grant with a moderation scope; other subscriptions of the same user do not', async () => {
  const { id, user, as, receiver, health } = await stage.scene(undefined, { types: ['moderation.ban.created'] })
  const other = await stage.subscribe(receiver.url, { as })
  await stage.run(`update grants set scopes = '{webhook:write}' where ${ofUser(user)}`)
  await sweepAllLapsed(stage.context)
  expect(await health()).toMatchObject({ id, disabledReason: 'grant_lost' })
  expect(await stage.subscription(other.id)).toMatchObject({ status: 'enabled' })
})

test('people see which webhooks hear their channel, by host alone, and end any of them, whoever owns the application', async () => {
  const { id, user, say, receiver } = await stage.scene()
  const session = { ...stage.context, principal: { ...stage.asUser(user).principal, clientId: null } }
  const stranger = { ...session, principal: { ...session.principal, userId: stage.ada.id } }
  const { host } = new URL(receiver.url)
  const shown = async () => (await listAllowed(session, { limit: 100 })).items.flatMap(({ webhooks }) => webhooks)
  expect(await shown()).toMatchObject([{ id, host, event_types: ['chat.message.sent'] }])
  const notTheirs = deleteHearingSubscription(stranger, { id })
  await expect(notTheirs).rejects.toMatchObject({ code: 'subscription_not_found' })
  await deleteHearingSubscription(session, { id })
  expect(await shown()).toEqual([])
  await say()
  await stage.work()
  expect(receiver.requests).toEqual([])
})

test('a fan-out leaves out who does not allow it any more', async () => {
  const user = await stage.user('many_listeners')
  const [allowed, lapsed] = [await stage.client(), await stage.client()]
  for (const { id } of [allowed, lapsed]) {
    if (id === allowed.id) await stage.consent(user, id)
    await stage.run(`
      with made as (
        insert into webhook_subscriptions (id, client_id, user_id, url, event_types, created_at, updated_at)
        select 'sub_' || substr('${id}', 5, 18) || lpad(n::text, 8, '0'), '${id}', '${user.id}', 'http://127.0.0.1:9/',
          '{webhook.test}', '2026-01-01', '2026-01-01' from generate_series(1, 501) n returning id
      ) insert into webhook_subscription_types select 'webhook.test', '${user.id}', id from made`)
  }
  await transact(stage.context, (tx) => emitEvent(tx, 'webhook.test', { channel: user, data: { message: 'x' } }))
  expect(await stage.run('select from webhook_fanouts')).toHaveLength(1)
  while (await expandFanout(stage.context, 200));
  const written = await stage.run(`select distinct s.client_id, count(*)::int as n from webhook_deliveries d
    join webhook_subscriptions s on s.id = d.subscription_id group by 1`)
  expect([...written]).toEqual([{ client_id: allowed.id, n: 501 }])
  await stage.withdraw()
  await stage.run('update expected_deliveries set is_withdrawn = true')
})

test('ending the grants of a user takes as many statements for a hundred applications as for one', async () => {
  let statements = 0
  const count = () => {
    statements++
    return () => {}
  }
  await using pools = openPools(stage.target, { watch: () => count })
  const counted = async (size: number) => {
    const user = await stage.user(`allows_${size}`)
    await stage.run(`
      with clients as (
        insert into clients (id, name, confidential, grant_types, scopes, auth_method, created_at, updated_at)
        select 'cli_' || substr('${user.id}', 5, 20) || lpad(n::text, 6, '0'), 'A', true, '{client_credentials}'::text[], '{}'::text[],
          'secret', now(), now() from generate_series(1, ${size}) n returning id
      ), subscriptions as (
        insert into webhook_subscriptions (id, client_id, user_id, url, event_types, created_at, updated_at)
        select 'sub_' || substr(id, 5), id, '${user.id}', 'http://127.0.0.1:9/', '{channel.updated}', now(), now() from clients
      ) insert into grants (id, client_id, user_id, scopes, created_at, expires_at)
      select 'grt_' || substr(id, 5), id, '${user.id}', '{webhook:write}', now(), now() + ${hour} from clients`)
    statements = 0
    const as = { ...stage.context, db: pools.db }
    const isTheirs = eq(grants.userId, user.id)
    await transact(as, (tx) => revokeGrants(tx, isTheirs, { reason: 'user', actor: { type: 'user', id: user.id } }))
    const left = `select from webhook_subscriptions where ${ofUser(user)} and disabled_reason is distinct from 'grant_lost'`
    expect(await stage.run(left)).toHaveLength(0)
    return statements
  }
  await counted(2) // types are asked for
  expect(await counted(100)).toBe(await counted(1))
})
