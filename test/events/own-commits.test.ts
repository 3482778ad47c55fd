import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { events } from '../../src/db/schema/index.ts'
import { deleteMessage, sendMessage } from '../../src/domain/chat.ts'
import type { CallerContext, UserContext } from '../../src/domain/core/context.ts'
import type { CommittedEvent } from '../../src/domain/core/live.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { filterOf } from '../../src/domain/events/feed/filter.ts'
import { ProcessTail } from '../../src/domain/events/tail/process-tail.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { createTestContext } from '../support/context.ts'
import { countedDatabase } from '../support/counted-database.ts'

/* A process knows what it has committed itself: it reads nothing for that, but what came in between from elsewhere. */
const hub = new WakeHub()
const app = await createTestContext({ wake: hub.wake, onWake: hub.onWake })
const counted = countedDatabase(app.target)
const { id: channelId, username } = await app.user('ada')
const ada: UserContext = {
  ...app.context,
  principal: { kind: 'user', userId: channelId, username, clientId: null, scopes },
}
const elsewhere: UserContext = { ...ada, wake: () => {} }
const say = (content: string, as = ada) => sendMessage(as, { room_name: 'ada', content })
const tail = new ProcessTail({ ...app.context, db: counted.db, onWake: hub.onWake })
afterAll(async () => {
  await tail[Symbol.asyncDispose]()
  await counted[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const everything = filterOf(['chat.message.sent', 'chat.message.deleted'])
const reads = () => counted.sent.filter(({ text }) => text.includes('as place')).length
const told: string[] = []
await say('the first')
const line = await tail.hold(channelId, async () => 0)
let place = line.place
line.follow({
  take: (batch) => {
    told.push(...batch.select(place, everything).map(({ payload }) => payload))
    place = batch.end
  },
  fail: (error) => void told.push(String(error)),
})
const untilTold = async (count: number) => {
  while (told.length < count) await pause(2)
}
await untilTold(1)

async function stored(): Promise<string[]> {
  const rows = await app.context.db.select().from(events).where(eq(events.channelId, channelId))
  return rows.toSorted((one, other) => Number(one.sequence) - Number(other.sequence)).map(({ payload }) => payload)
}

test('they are told without a statement, to the byte as they are stored', async () => {
  const [before, readBefore] = [told.length, reads()]
  const { id } = await say('ädä says "hi" \u2028 👋')
  await deleteMessage(ada, id)
  await untilTold(before + 2)
  expect(told).toEqual(await stored())
  expect(reads()).toBe(readBefore)
})

test.each([1, 2])('what came from elsewhere before %d of them is read, and comes before them', async (count) => {
  const before = told.length
  await say('elsewhere', elsewhere)
  for (let n = 0; n < count; n++) await say(`own ${n}`)
  await say('elsewhere again', elsewhere)
  await say('own again')
  await untilTold(before + count + 3)
  expect(told).toEqual(await stored())
})

test('many at once are told in the order of their numbers, each once', async () => {
  const before = told.length
  await Promise.all(Array.from({ length: 60 }, (_, n) => say(`${n}`, n % 7 === 3 ? elsewhere : ada)))
  await say('the last')
  await untilTold(before + 61)
  expect(told).toEqual(await stored())
})

test('they say whether anybody receives them as a webhook: the worker looks for those alone', async () => {
  const woken: (CommittedEvent | undefined)[] = []
  const stop = hub.onWake((_, event) => void woken.push(event))
  await say('to nobody')
  const url = 'https://127.0.0.1/hook'
  const { id: clientId } = await app.client()
  const application: CallerContext = { ...app.context, principal: { kind: 'application', clientId, scopes } }
  await createSubscription(application, { url, event_types: ['chat.message.sent'] })
  await say('to one')
  stop()
  expect(woken.map((event) => event?.hasReceivers)).toEqual([false, true])
})
