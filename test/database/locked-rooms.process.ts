import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import { isUnavailable } from '../../src/db/db-error.ts'
import { makePartitions } from '../../src/db/partitions.ts'
import { sendMessage } from '../../src/domain/chat.ts'
import { createTestContext } from '../support/context.ts'

const own = await createTestContext({ counters: unlimitedCounters })
afterAll(() => own[Symbol.asyncDispose]())
const { context, clock } = own
await makePartitions(context.db, clock.at)
const rooms = Array.from({ length: 40 }, (_, n) => `room_${n}`)
for (const name of rooms) await own.user(name)
const { id: userId, username } = await own.user('ada')

const send = (room_name: string) => {
  const principal = { kind: 'user', userId, username, clientId: null, scopes: [] } as const
  return sendMessage({ ...context, principal }, { room_name, content: 'hello' })
}

/** What comes of 200 messages to rooms that somebody has locked, and how long what is asked beside them for two seconds takes. */
async function askBeside(locked: string[], other: (round: number) => Promise<unknown>) {
  const sent: Promise<unknown>[] = []
  const others: Promise<unknown>[] = []
  const tookMs: number[] = []
  await context.slow.transaction(async (tx) => {
    await tx.execute(sql`
      select from channel_sequences where channel_id in (select id from users where username in ${locked}) for update`)
    for (let n = 0; n < 200; n++) sent.push(send(locked[n % locked.length] ?? '').catch((error: unknown) => error))
    for (let round = 0; round < 250; round++) {
      const begun = performance.now()
      others.push(other(round).then(() => tookMs.push(performance.now() - begun)))
      await after(8)
    }
    await Promise.all(others) // none of them fails
  })
  const errors = (await Promise.all(sent)).filter((outcome) => outcome instanceof Error)
  return { tookMs, errors }
}

test.each<[string, string[], (round: number) => Promise<unknown>]>([
  ['a room', rooms.slice(0, 1), (round) => send(rooms[20 + (round % 20)] ?? '')],
  ['twenty rooms', rooms.slice(0, 20), () => context.db.execute(sql`select 1`)],
])('what is locked is %s: two hundred who write there take nothing with them', async (_, locked, other) => {
  for (const room of rooms) await send(room)
  const { tookMs, errors } = await askBeside(locked, other)
  expect(tookMs).toHaveLength(250)
  expect(Math.max(...tookMs)).toBeLessThan(2_000)
  expect(tookMs.slice(-60).filter((ms) => ms > 300)).toEqual([])
  expect(errors.length).toBeGreaterThan(0)
  expect(errors.filter((error) => !isUnavailable(error))).toEqual([])
})
