import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepAllLapsed } from '../../src/domain/webhooks/queue/lost-grants.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { deleteSubscription } from '../../src/domain/webhooks/subscriptions/delete.ts'
import { enableSubscription } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { listSubscriptions } from '../../src/domain/webhooks/subscriptions/list.ts'
import { countedDatabase } from '../support/counted-database.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const url = 'https://hooks.customer.com/x'
const types = ['channel.updated'] as const // nothing here emits it, so nothing goes out to that URL
const page = { limit: 100 }

test('a user has 20, whose subscriptions take no room of others; without their grant they take none at all', async () => {
  const client = await stage.client()
  const of = async (name: string) => stage.asUser(await stage.user(name), undefined, client.id)
  const [one, other] = [await of('one_of_many'), await of('another_of_many')]
  const make = (as: typeof one | ReturnType<Stage['asApplication']>) =>
    createSubscription(as, { url, event_types: types })
  const outcomes = await Promise.allSettled(Array.from({ length: 25 }, () => make(one)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  await expect(make(one)).rejects.toMatchObject({
    code: 'limit_reached',
    message: expect.stringMatching(/at most 20 .* 20 are used/),
  })
  expect(await make(other)).toMatchObject({ status: 'enabled' })
  expect(await make(stage.asApplication(client.id))).toMatchObject({ status: 'enabled' })
  const ofOne = `client_id = '${client.id}' and user_id = '${one.principal.userId}'`
  const disable = (reason: string) =>
    stage.run(
      `update webhook_subscriptions set status = 'disabled', disabled_at = now(), disabled_reason = '${reason}' where ${ofOne}`,
    )
  await disable('owner')
  await expect(make(one)).rejects.toMatchObject({ code: 'limit_reached' })
  await stage.consent({ id: one.principal.userId }, client.id)
  await sweepAllLapsed(stage.context)
  await expect(make(one), 'disabled by its owner, and allowed').rejects.toMatchObject({ code: 'limit_reached' })
  await stage.run(`delete from grants where ${ofOne}`)
  await sweepAllLapsed(stage.context)
  expect(await make(one), 'after the grant of all has ended').toMatchObject({ status: 'enabled' })
})

test('of those that lost their grant as many are kept as may be alive: the oldest go, the one to be enabled stays', async () => {
  const client = await stage.client()
  const user = await stage.user('comes_and_goes')
  const as = stage.asUser(user, undefined, client.id)
  const made: string[] = []
  for (let round = 0; round < 3; round++) {
    await stage.consent(user, client.id)
    for (let n = 0; n < 15; n++) made.push((await createSubscription(as, { url, event_types: types })).id)
    await stage.run(`delete from grants where user_id = '${user.id}'`)
    await sweepAllLapsed(stage.context)
  }
  const [oldest = ''] = made.slice(-34)
  await stage.consent(user, client.id)
  await enableSubscription({ ...stage.context, principal: { kind: 'operator' } }, { id: oldest })
  const { items } = await listSubscriptions(as, page)
  expect(items.map(({ id }) => id)).toEqual([oldest, ...made.slice(-20)])
  const of = (ids: string[]) => `subscription_id in (${ids.map((id) => `'${id}'`)})`
  const gone = made.filter((id) => !items.some((item) => item.id === id))
  const left = await stage.run(`select from webhook_secrets where ${of(gone)}
    union all select from webhook_subscription_types where ${of(gone)}`)
  expect(left).toHaveLength(0)
})

test('an application has 100, also when 130 come at once', async () => {
  const application = stage.asApplication((await stage.client()).id)
  const make = (): Promise<string> =>
    createSubscription(application, { url, event_types: types }).then(
      () => 'made',
      ({ code, message }: { code: string; message: string }) =>
        code === 'unavailable' ? make() : `${code} ${message.includes('100')}`, // of whoever waits long for the others of the same owner
    )
  const outcomes = await Promise.all(Array.from({ length: 130 }, make))
  expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(100)
  expect(new Set(outcomes)).toEqual(new Set(['made', 'limit_reached true']))
  const [first] = (await listSubscriptions(application, page)).items
  await deleteSubscription(application, { id: first?.id ?? '' })
  expect(await createSubscription(application, { url, event_types: types })).toMatchObject({ status: 'enabled' })
})

test('all applications of an owner have 500 of their own, and 100 for one user, also when they ask at once; others have as many', async () => {
  const owner = await stage.user('owner_of_many')
  const user = await stage.user('user_of_many')
  const clients = await Promise.all(Array.from({ length: 7 }, () => stage.client()))
  const [other = '', ...owned] = clients.map(({ id }) => id)
  const ids = owned.map((id) => `'${id}'`).join()
  await stage.run(`update clients set owner_id = '${owner.id}' where id in (${ids})`)
  const kept = (each: number, userId: string) => `
    insert into webhook_subscriptions (id, client_id, user_id, url, event_types, created_at, updated_at)
    select 'sub_' || md5(c.id || n || coalesce(${userId}, '')), c.id, ${userId}, '${url}', '{channel.updated}', now(), now()
      from clients c, generate_series(1, ${each}) n where c.id in (${ids})`
  await stage.run(kept(82, 'null::text'))
  await stage.run(kept(16, `'${user.id}'`))
  const make = (as: Parameters<typeof createSubscription>[0]) =>
    createSubscription(as, { url, event_types: types }).then(
      () => 'made',
      ({ code, message }: { code: string; message: string }) => [
        code,
        /owner together.* at most (\d+)/.exec(message)?.[1],
      ],
    )
  const twice = [...owned, ...owned]
  const ofTheirOwn = await Promise.all(twice.map((id) => make(stage.asApplication(id))))
  expect(ofTheirOwn.filter((one) => one !== 'made')).toEqual(Array(4).fill(['limit_reached', '500']))
  const forUser = await Promise.all(twice.map((id) => make(stage.asUser(user, undefined, id))))
  expect(forUser.filter((one) => one !== 'made')).toEqual(Array(8).fill(['limit_reached', '100']))
  expect(await make(stage.asApplication(other))).toBe('made')
  expect(await make(stage.asUser(user, undefined, other))).toBe('made')
})

test('whose application it is does not change while a subscription of it is made: it takes room of whoever owns it then', async () => {
  const { id } = await stage.client()
  const owner = await stage.user('owner_of_late')
  const giving = `update clients set owner_id = '${owner.id}' where id = '${id}'`
  const given: unknown[] = []
  await using counted = countedDatabase(stage.target, async (text) => {
    if (!text.includes('advisory')) return
    const gift = stage.run(`set local lock_timeout = '20ms'; ${giving}`)
    given.push(
      await gift.then(
        () => 'given',
        ({ cause }) => cause.code,
      ),
    )
  })
  await createSubscription({ ...stage.asApplication(id), db: counted.db }, { url, event_types: types })
  expect(given).toEqual(['55P03'])
})
