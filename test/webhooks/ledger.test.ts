import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clients, webhookDeliveriesDone } from '../../src/db/schema/index.ts'
import { deleteMessage } from '../../src/domain/chat.ts'
import type { ActorContext } from '../../src/domain/core/context.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { type DeliveryFilter, getDelivery, listDeliveries } from '../../src/domain/webhooks/deliveries/ledger.ts'
import { testSubscription } from '../../src/domain/webhooks/deliveries/test-delivery.ts'
import { updateSubscription } from '../../src/domain/webhooks/subscriptions/update.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

type Asked = Partial<DeliveryFilter>
const list = (ctx: ActorContext, asked: Asked) => listDeliveries(ctx, { limit: 100, ...asked })
const idsOf = async (ctx: ActorContext, asked: Asked) => (await list(ctx, asked)).items.map(({ id }) => id)

/** An application of its own with two subscriptions, one of a user's; each has had the same three messages. */
async function twoSubscriptions() {
  const { id: clientId } = await stage.client()
  const ownerId = stage.asOwner().principal.userId
  await stage.context.db.update(clients).set({ ownerId }).where(eq(clients.id, clientId))
  const [good, bad] = [
    await stage.receiver(() => ({ body: 'thanks' })),
    await stage.receiver(() => ({ status: 500, body: 'broken pipe' })),
  ]
  const own = await stage.subscribe(good.url, {
    as: stage.asApplication(clientId),
    types: ['chat.message.sent', 'chat.message.deleted'],
  })
  const users = await stage.subscribe(bad.url, { as: stage.asUser(stage.ada, undefined, clientId) })
  const said = [await stage.say('one "quoted"'), await stage.say('two'), await stage.say('three')]
  await stage.work()
  return { clientId, own, users, said, good, bad, application: stage.asApplication(clientId) }
}

describe('the ledger of an application', () => {
  test('has the deliveries of all its subscriptions, its users’ too, newest first, page after page', async () => {
    const { clientId, own, users, good, bad, application } = await twoSubscriptions()
    const { items } = await list(application, {})
    expect(items).toHaveLength(6)
    expect(items.map(({ id }) => id)).toEqual(
      items
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    for (const ctx of [application, stage.asOwner()]) {
      expect(await idsOf(ctx, { application_id: clientId })).toEqual(items.map(({ id }) => id))
    }
    const walked: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await list(application, { limit: 1, ...(cursor && { cursor }) })
      walked.push(...page.items.map(({ id }) => id))
      if (page.next === null) break
      cursor = page.next
    }
    expect(walked).toEqual(items.map(({ id }) => id))
    const rows = items.map(({ subscription_id, subscription_url, last_status, outcome }) => [
      subscription_id,
      subscription_url,
      last_status,
      outcome,
    ])
    expect(rows).toEqual(
      expect.arrayContaining([
        [own.id, good.url, 204, 'delivered'],
        [users.id, bad.url, 500, 'pending'],
      ]),
    )
  })

  test('finds by outcome, status, type, event, message, text and time, and by several together', async () => {
    const { own, users, said, application } = await twoSubscriptions()
    await deleteMessage(stage.asUser(stage.ada), said[0]?.id ?? '')
    await stage.work()
    const { items } = await list(application, {})
    const of = (found: typeof items) => found.map(({ id }) => id)
    const where = (fits: (item: (typeof items)[number]) => boolean) => of(items.filter(fits))
    const sent = items.filter(({ type }) => type === 'chat.message.sent')
    const event = sent[0]?.event_id ?? ''
    const cases: [Asked, string[]][] = [
      [{ outcome: 'delivered' }, where(({ outcome }) => outcome === 'delivered')],
      [{ outcome: 'failed' }, []],
      [{ status: '500' }, where(({ subscription_id }) => subscription_id === users.id)],
      [{ status: '5xx', subscription: own.id }, []],
      [{ status: '2xx' }, where(({ subscription_id }) => subscription_id === own.id)],
      [{ status: 'none' }, []],
      [{ type: 'chat.message.deleted' }, where(({ type }) => type === 'chat.message.deleted')],
      [{ event }, where(({ event_id }) => event_id === event)],
      [
        { event, status: '500' },
        where(({ event_id, subscription_id }) => event_id === event && subscription_id === users.id),
      ],
      [{ event: newId('event', new Date()) }, []],
      [{ message: newId('message', new Date()) }, []],
      [{ text: 'one "QUOTED"', type: 'chat.message.sent' }, of(sent.slice(-2))],
      [{ text: 'Broken Pipe' }, where(({ subscription_id }) => subscription_id === users.id)],
      [{ text: 'nowhere' }, []],
      [{ from: sent[0]?.created_at ?? '', type: 'chat.message.sent' }, of(sent.slice(0, 2))],
      [{ to: sent.at(-1)?.created_at ?? '' }, []],
    ]
    for (const [asked, expected] of cases)
      expect(await idsOf(application, asked), JSON.stringify(asked)).toEqual(expected)
    const ofMessage = (await list(application, { message: said[0]?.id ?? '' })).items
    expect(ofMessage.map(({ type }) => type)).toEqual([
      'chat.message.deleted',
      'chat.message.sent',
      'chat.message.sent',
    ])
  })

  test('refuses what is no identifier, and shows nobody what is another’s', async () => {
    const { clientId, own, application } = await twoSubscriptions()
    for (const asked of [{ event: 'evt_x' }, { message: own.id }]) {
      await expect(list(application, asked)).rejects.toMatchObject({ code: 'invalid_request' })
    }
    const stranger = stage.asApplication((await stage.client()).id)
    expect(await idsOf(stranger, { application_id: clientId })).toEqual([])
    await expect(list(stranger, { subscription: own.id })).rejects.toMatchObject({ code: 'subscription_not_found' })
    const { next } = await list(application, { limit: 1 })
    await expect(list(application, { subscription: own.id, cursor: next ?? '' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
  })

  test('of thousands at once, among which few fit, a page finds all, or says how far it looked', async () => {
    const { id: clientId } = await stage.client()
    const { id } = await stage.subscribe('https://hooks.customer.com/many', { as: stage.asApplication(clientId) })
    const at = (n: number) => new Date(stage.context.now().getTime() - n * 10)
    const rows = Array.from({ length: 5_000 }, (_, n) => ({
      id: newId('delivery', at(n)),
      eventId: newId('event', at(n)),
      type: n % 1_000 === 0 ? 'channel.updated' : 'chat.message.sent',
      subscriptionId: id,
      outcome: n % 2_500 === 0 ? ('failed' as const) : ('delivered' as const),
      attempts: 0,
      createdAt: at(n),
      finishedAt: at(n),
    }))
    for (let n = 0; n < rows.length; n += 1_000) {
      await stage.context.db.insert(webhookDeliveriesDone).values(rows.slice(n, n + 1_000))
    }
    const wanted = rows.filter(({ type }) => type === 'channel.updated')
    const found: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await list(stage.asApplication(clientId), { type: 'channel.updated', ...(cursor && { cursor }) })
      found.push(...page.items.map((item) => item.id))
      expect(page.looked_back_to === null).toBe(page.next === null)
      if (page.next === null) break
      cursor = page.next
    }
    expect(found).toEqual(wanted.map((row) => row.id))
    expect(await idsOf(stage.asApplication(clientId), { outcome: 'failed' })).toEqual([rows[0]?.id, rows[2_500]?.id])
  })
})

describe('an attempt in the ledger', () => {
  test('shows the head of its request as the receiver got it, and that of its answer', async () => {
    const headers = { 'x-request-id': 'of the receiver', 'set-cookie': 'a=1' }
    const { id, as, say, receiver, done } = await stage.scene(() => ({ status: 202, headers, body: 'fine' }))
    const first = new URL('/first?a=b%20c', receiver.url).href
    await updateSubscription(as, { id, url: first })
    await say()
    await stage.work()
    await updateSubscription(as, { id, url: new URL('/second', receiver.url).href })
    const [delivery] = await done()
    const [attempt] = (await getDelivery(stage.asOwner(), { id: delivery?.id ?? '' })).attempts_made
    const [line, ...sent] = attempt?.request?.split('\n') ?? []
    expect(line).toBe(`POST ${first}`)
    const got = receiver.requests[0]?.headers ?? {}
    expect(Object.fromEntries(sent.map((one) => one.split(/: (.*)/s).slice(0, 2)))).toEqual({ ...got })
    expect(attempt?.response_headers?.split('\n')).toEqual(
      expect.arrayContaining(['x-request-id: of the receiver', 'set-cookie: a=1']),
    )
    const tested = await testSubscription(stage.asOwner(), { id })
    expect(tested.request).toMatch(/^POST .*\/second\n/)
    expect(tested.response_headers).toContain('x-request-id: of the receiver')
  })

  test('keeps four kilobytes of the head of an answer, without what could not be stored', async () => {
    const { id } = await stage.scene(() => ({
      headers: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`x-${n}`, 'é'.repeat(100)])),
    }))
    const { response_headers } = await testSubscription(stage.asOwner(), { id })
    expect(Buffer.byteLength(response_headers ?? '')).toBeLessThanOrEqual(4_096)
    expect(response_headers).toContain('x-0: é')
  })

  test('has no request where the address was not called at all', async () => {
    const { id, change } = await stage.scene()
    await change({ url: 'http://169.254.169.254/latest' })
    const tested = await testSubscription(stage.asOwner(), { id })
    expect(tested).toMatchObject({ error_class: 'E_UNSAFE_URL', request: null, response_headers: null })
  })
})
