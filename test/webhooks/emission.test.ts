import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ofDatabase } from '../../src/db/db-error.ts'
import { openPools } from '../../src/db/pools.ts'
import { deleteMessage, sendMessage } from '../../src/domain/chat.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { emitEvent } from '../../src/domain/events/emit.ts'
import { expandFanout } from '../../src/domain/events/fanout.ts'
import { workDeliveries } from '../../src/domain/webhooks/worker/work.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const notice = { message: 'x' }
const sequences = async (channelId: string) => {
  const rows = await stage.context.db.execute<{ sequence: number }>(
    `select sequence::int as sequence from events where channel_id = '${channelId}' order by sequence`,
  )
  return rows.map(({ sequence }) => sequence)
}
const oneTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1)

describe('an event and its cause', () => {
  test('commit together or not at all; the worker is woken after the commit and not before', async () => {
    const channel = await stage.user('together')
    const { wake } = stage
    wake.mockClear()
    const failing = transact(stage.context, async (tx) => {
      await emitEvent(tx, 'webhook.test', { channel, data: notice })
      throw new Error('the cause fails')
    })
    await expect(failing).rejects.toThrow('the cause fails')
    expect(await sequences(channel.id)).toEqual([])
    expect(wake).not.toHaveBeenCalled()
    await transact(stage.context, async (tx) => {
      await emitEvent(tx, 'webhook.test', { channel, data: notice })
      expect(wake).not.toHaveBeenCalled()
    })
    expect(wake).toHaveBeenCalledOnce()
    expect(await sequences(channel.id)).toEqual([1])
  })

  test('a transaction that has to run again makes one event', async () => {
    const channel = await stage.user('again')
    let tried = 0
    await transact(stage.context, async (tx) => {
      await emitEvent(tx, 'webhook.test', { channel, data: notice })
      if (++tried === 1) throw ofDatabase(Object.assign(new Error('deadlock'), { code: '40P01' }))
    })
    expect([tried, await sequences(channel.id)]).toEqual([2, [1]])
  })

  test('a payload that is too large fails the whole: nothing is cut off', async () => {
    const { as, user, queue } = await stage.scene()
    const large = transact(as, (tx) =>
      emitEvent(tx, 'webhook.test', { channel: user, data: { message: 'x'.repeat(66_000) } }),
    )
    await expect(large).rejects.toThrow()
    expect([await sequences(user.id), await queue()]).toEqual([[], []])
  })
})

test('the sequence of a channel has no gap and no double: 16 writers, a third of which give up', async () => {
  const [one, other] = [await stage.user('busy'), await stage.user('other')]
  let kept = 0
  const writer = async (seed: number) => {
    for (let n = 0; n < 10; n++) {
      const channel = (seed + n) % 4 === 0 ? other : one
      const work = transact(stage.context, async (tx) => {
        await emitEvent(tx, 'webhook.test', { channel, data: notice })
        if ((seed + n) % 3 === 0) throw new Error('gives up')
      })
      await work.then(
        () => kept++,
        (error: Error) => expect(error.message).toBe('gives up'),
      )
    }
  }
  await Promise.all(Array.from({ length: 16 }, (_, seed) => writer(seed)))
  const [first, second] = [await sequences(one.id), await sequences(other.id)]
  expect(first).toEqual(oneTo(first.length))
  expect(second).toEqual(oneTo(second.length))
  expect(first.length + second.length).toBe(kept)
})

test('a restart loses nothing: the numbers go on, and what was queued before it is sent by the one that comes after', async () => {
  const { user, receiver } = await stage.scene(undefined, { types: ['livestream.started'] })
  await stage.emit(3, user)
  const pools = openPools(stage.target)
  const restarted = { ...stage.context, ...pools }
  const emitting = transact(restarted, (tx) => emitEvent(tx, 'livestream.started', { channel: user, data: live }))
  await emitting
  await workDeliveries(restarted, { budgetMs: 25_000 })
  await pools[Symbol.asyncDispose]()
  expect(receiver.requests.map(({ event }) => event.sequence).toSorted()).toEqual([1, 2, 3, 4])
})

const live = { id: 'str_x', title: null, category: null, thumbnail_url: null, channel: null, updated_at: 'now' }

describe('the bytes that are sent are the bytes that are stored', () => {
  test.for([
    ['emoji and combining marks', '👩‍👩‍👧‍👦 𝕏 é é'],
    ['quotes, tags, line separators', '"\\"</script>\u2028\u2029\u0085\t\n\r'],
    ['right to left', 'مرحبا \u202e '],
    ['500 characters of four bytes', '💥'.repeat(500)],
    ['text like JSON', '{"a":1.0}'],
    ['the last character, a byte order mark', '\u{10ffff}\ufeff'],
    ['SQL', "'; drop table events; --"],
    ['our own SQL', '$1 || last'],
  ])('%s', async ([, text]) => {
    const { say, receiver, as, user } = await stage.scene()
    await say(text)
    await stage.work()
    const [request] = receiver.requests
    const [row] = await stage.context.db.execute<{ payload: string }>(
      `select payload from events where channel_id = '${user.id}'`,
    )
    expect(request?.body.toString()).toBe(row?.payload)
    expect(request?.event.data.content).toBe(text)
    expect(Buffer.byteLength(row?.payload ?? '')).toBeLessThan(65_536)
    expect(row?.payload).not.toMatch(/[\n\r\u0085\u2028\u2029]/) // for readers who end a line there
    expect(as.principal.userId).toBe(request?.event.data.user_identity)
  })

  test('a payload of 64 kB is sent to its last byte, and one byte more is none', async () => {
    const { id, user, as, receiver, queue } = await stage.scene()
    await stage.run(`insert into webhook_subscription_types values ('webhook.test', '${user.id}', '${id}')`)
    const send = (length: number) =>
      transact(as, (tx) => emitEvent(tx, 'webhook.test', { channel: user, data: { message: 'x'.repeat(length) } }))
    await send(0)
    const [empty] = await stage.run(`select octet_length(payload) as bytes from events where channel_id = '${user.id}'`)
    const room = 65_536 - Number(empty?.bytes)
    await expect(send(room + 1)).rejects.toThrow()
    expect(await queue()).toHaveLength(1)
    await send(room)
    await stage.work()
    expect(receiver.requests.map(({ body }) => body.length)).toContain(65_536)
    expect(await sequences(user.id)).toEqual([1, 2])
  })

  test('half of a pair is refused, because UTF-8 has no bytes for it', async () => {
    const { as, user } = await stage.scene()
    const half = sendMessage(as, { room_name: user.username, content: 'a\ud800b' })
    await expect(half).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

test('deleting a message tells of the message as it was', async () => {
  const { as, user, receiver } = await stage.scene(undefined, { types: ['chat.message.sent', 'chat.message.deleted'] })
  const sent = await sendMessage(as, { room_name: user.username, content: 'soon gone' })
  await deleteMessage(as, sent.id)
  await stage.work()
  const [first, second] = receiver.requests.toSorted((a, b) => a.event.sequence - b.event.sequence)
  expect([first?.event.type, second?.event.type]).toEqual(['chat.message.sent', 'chat.message.deleted'])
  expect(second?.event.data).toEqual(first?.event.data)
})

describe('fan-out', () => {
  /** Makes subscriptions by SQL, because an application may have a hundred. */
  async function crowd(size: number, channelId: string) {
    const { id: clientId } = await stage.client()
    await stage.run(`
      with made as (
        insert into webhook_subscriptions (id, client_id, url, event_types, created_at, updated_at)
        select 'sub_' || substr('${clientId}', 5, 18) || lpad(n::text, 8, '0'), '${clientId}', 'http://127.0.0.1:9/', '{webhook.test}',
          '2026-01-01', '2026-01-01' from generate_series(1, ${size}) n returning id
      ) insert into webhook_subscription_types select 'webhook.test', '${channelId}', id from made`)
    return clientId
  }
  const emit = (channel: { id: string; username: string }) =>
    transact(stage.context, (tx) => emitEvent(tx, 'webhook.test', { channel, data: notice }))
  const counts = async (clientId: string) => {
    const [row] = await stage.context.db.execute<{ deliveries: number; markers: number }>(`
      select (select count(*) from webhook_deliveries d join webhook_subscriptions s on s.id = d.subscription_id
        where s.client_id = '${clientId}')::int as deliveries, (select count(*) from webhook_fanouts)::int as markers`)
    return [row?.deliveries, row?.markers]
  }
  afterAll(async () => {
    await stage.run('update expected_deliveries set is_withdrawn = true') // what these make is nobody's
    await stage.run("delete from webhook_subscriptions where url = 'http://127.0.0.1:9/'")
    await stage.run("delete from webhook_deliveries where type = 'webhook.test'")
  })

  test('to 500 is direct, to 501 a marker that the worker expands in steps, each delivery once', async () => {
    const channel = await stage.user('crowded')
    const clientId = await crowd(500, channel.id)
    await emit(channel)
    expect(await counts(clientId)).toEqual([500, 0])
    await stage.run('delete from webhook_deliveries')
    const [extra] = await stage.context.db.execute<{ id: string }>(
      `select max(id) as id from webhook_subscriptions where client_id = '${clientId}'`,
    )
    await stage.run(`
      with made as (insert into webhook_subscriptions (id, client_id, url, event_types, created_at, updated_at)
        values ('${extra?.id.slice(0, -1)}z', '${clientId}', 'http://127.0.0.1:9/', '{webhook.test}', '2026-01-01', '2026-01-01') returning id)
      insert into webhook_subscription_types select 'webhook.test', '*', id from made`)
    await emit(channel)
    expect(await counts(clientId)).toEqual([0, 1])
    await expandFanout(stage.context, 200)
    expect(await counts(clientId)).toEqual([200, 1])
    // a worker that is killed here continues behind the last step, even when those rows are finished and gone
    await stage.run(
      'delete from webhook_deliveries where id in (select id from webhook_deliveries order by id limit 100)',
    )
    while (await expandFanout(stage.context, 200));
    expect(await counts(clientId)).toEqual([401, 0])
  })

  test.each([
    [0, 0, 0],
    [1, 1, 0],
    [5_000, 0, 1],
  ])('to %i: %i deliveries at once and %i markers; in the end each has its own', async (size, direct, markers) => {
    const channel = await stage.user(`crowd_of_${size}`)
    const clientId = await crowd(size, channel.id)
    await emit(channel)
    expect(await counts(clientId)).toEqual([direct, markers])
    while (await expandFanout(stage.context));
    expect(await counts(clientId)).toEqual([size, 0])
  })

  test('of 2,500, three workers at once; a subscription made after the event is left out', async () => {
    const channel = await stage.user('packed')
    const clientId = await crowd(2_500, channel.id)
    await emit(channel)
    await emit(channel)
    await stage.run(`update webhook_subscriptions set created_at = now() where id in (
      select id from webhook_subscriptions where client_id = '${clientId}' order by id limit 7)`)
    const expand = async () => {
      while (await expandFanout(stage.context));
    }
    await Promise.all([expand(), expand(), expand()])
    await expand()
    expect(await counts(clientId)).toEqual([2 * 2_493, 0])
  })
})
