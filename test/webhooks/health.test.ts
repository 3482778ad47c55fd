import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as schema from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { deleteExpired } from '../../src/domain/expiry.ts'
import { disableForLostGrants } from '../../src/domain/webhooks/queue/lost-grants.ts'
import { maintainDeliveries } from '../../src/domain/webhooks/worker/maintenance.ts'
import type { Answer } from '../support/receiver.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const secondsAhead = (at: Date | null | undefined) => (at ? (at.getTime() - Date.now()) / 1000 : 0)

describe('Retry-After', () => {
  const asked: [header: string, seconds: number][] = [
    ['120', 120],
    [new Date(Date.now() + 200_000).toUTCString(), 200],
    ['864000', 3_600],
    [`${10 * 365 * 24 * 3_600}`, 3_600],
    ['Fri, 31 Dec 2100 23:59:59 GMT', 3_600],
  ]
  const meaningless = ['0', '-1', '1.5', 'soon', '', 'Thu, 01 Jan 1970 00:00:00 GMT']
  const statuses = [429, 503]
  const alsoOn = ([header, seconds]: [string, number]) => statuses.map((status) => [status, header, seconds] as const)
  const emptyOn = (header: string) => statuses.map((status) => [status, header] as const)

  test.for(asked.flatMap(alsoOn))(
    'on %i, "%s": the whole subscription rests, and the delivery waits',
    async ([status, header, seconds]) => {
      const { say, health, queue, receiver } = await stage.scene((_, n) =>
        n === 1 ? { status, headers: { 'retry-after': header } } : {},
      )
      await say()
      await stage.work()
      await say('another')
      await stage.work()
      expect(receiver.requests).toHaveLength(1)
      expect(secondsAhead((await health()).openUntil)).toBeGreaterThan(seconds - 10)
      expect(secondsAhead((await health()).openUntil)).toBeLessThan(seconds + 10)
      expect(secondsAhead((await queue())[0]?.dueAt)).toBeGreaterThan(seconds - 10)
    },
  )

  test.for([...meaningless.flatMap(emptyOn), [404, '120'], [500, '120']] as const)(
    'on %i, "%s" is ignored',
    async ([status, header]) => {
      const { say, health, queue } = await stage.scene(() => ({ status, headers: { 'retry-after': header } }))
      await say()
      await stage.work()
      expect((await health()).openUntil).toBeNull()
      expect(secondsAhead((await queue())[0]?.dueAt)).toBeLessThan(7)
    },
  )
})

describe('how many attempts are made at once', () => {
  test('is halved by 429, 503 and the deadline, and never below one', async () => {
    const answers: Answer[] = [{ status: 429 }, { status: 503 }, { status: 503 }, { status: 503 }]
    const { say, health, age, pass, change } = await stage.scene((_, n) => answers[n - 1] ?? { status: 500 })
    await say()
    const windows = []
    for (let n = 0; n < 5; n++) {
      await stage.work()
      windows.push((await health()).sendWindow)
      await pass(40 * HOUR_MS)
      await change({ openUntil: null, consecutiveFailures: 0 })
    }
    expect(windows).toEqual([4, 2, 1, 1, 1])
    await age('firstFailureAt', 0)
  })

  test('grows by one with each full window of successes, up to 32', async () => {
    const { say, health, change } = await stage.scene()
    await change({ sendWindow: 2 })
    for (let n = 0; n < 10; n++) await say(`${n}`)
    await stage.work()
    expect((await health()).sendWindow).toBeGreaterThan(2)
    await change({ sendWindow: 32 })
    for (let n = 0; n < 40; n++) await say(`${n}`)
    await stage.work()
    expect((await health()).sendWindow).toBe(32)
  })
})

test('the breaker opens at the fifth failure in a row, sends one probe, doubles its rest, and closes with a success', async () => {
  let isWell = false
  const { say, health, age, pass, queue, receiver } = await stage.scene(() => ({ status: isWell ? 200 : 500 }))
  for (let n = 0; n < 5; n++) await say(`${n}`)
  await stage.work()
  expect(await health()).toMatchObject({ consecutiveFailures: 5, openForS: 30 })
  expect(secondsAhead((await health()).openUntil)).toBeGreaterThan(20)
  await pass()
  await stage.work()
  expect(receiver.requests, 'nothing goes out while it is open').toHaveLength(5)
  for (const rest of [60, 120, 240, 480, 900, 900]) {
    await age('openUntil', 16 * 60_000)
    await pass(HOUR_MS * 40)
    const before = receiver.requests.length
    await stage.work()
    expect(receiver.requests.length - before, 'one probe').toBe(1)
    expect((await health()).openForS).toBe(rest)
  }
  const attempts = (await queue()).map((row) => row.attempts)
  expect(
    attempts.reduce((sum, one) => sum + one, 0),
    'none was used up by waiting',
  ).toBe(receiver.requests.length)
  isWell = true
  await age('openUntil', 16 * 60_000)
  await stage.work()
  expect(await health()).toMatchObject({ consecutiveFailures: 0, openForS: 0, openUntil: null, firstFailureAt: null })
})

describe('five days without one success, and at least 20 failures', () => {
  const failing = async (days: number, failures: number, answer: Answer = { status: 500 }) => {
    const scene = await stage.scene(() => answer)
    const firstFailureAt = new Date(Date.now() - days * DAY_MS)
    await scene.change({ firstFailureAt, failedAttempts: failures - 1, consecutiveFailures: 3 })
    await scene.say()
    await stage.work()
    return scene
  }

  test.for([
    [4 + 23 / 24, 25, 'enabled'],
    [5.01, 19, 'enabled'],
    [5.01, 20, 'disabled'],
    [30, 20, 'disabled'],
  ] as [number, number, string][])('%f days and %i failures: %s', async ([days, failures, status]) => {
    const { health } = await failing(days, failures)
    expect(await health()).toMatchObject({ status, disabledReason: status === 'disabled' ? 'failing' : null })
  })

  test('with one success in between: it begins anew', async () => {
    const { health } = await failing(6, 50, { status: 200 })
    expect(await health()).toMatchObject({ status: 'enabled', failedAttempts: 0, firstFailureAt: null })
  })

  test('is warned of on the first and on the third day, once each', async () => {
    const lines: object[] = []
    const log = { ...stage.context.log, warn: (line: object) => lines.push(line) } as typeof stage.context.log
    const scenes = await Promise.all(Array.from({ length: 4 }, () => stage.scene()))
    const days = [0.9, 1.01, 2.5, 3.01]
    for (const [index, { change }] of scenes.entries()) {
      await change({ firstFailureAt: new Date(Date.now() - (days[index] ?? 0) * DAY_MS) })
    }
    await maintainDeliveries({ ...stage.context, log }, stage.clock.at)
    expect(lines).toEqual([
      { subscription: scenes[1]?.id, days: 1 },
      { subscription: scenes[3]?.id, days: 3 },
    ])
    for (const { change } of scenes) await change({ firstFailureAt: null })
  })
})

test('the loss of a grant disables what that application made for that user, and nothing else', async () => {
  const { id, user, health, say, receiver } = await stage.scene()
  const everybody = await stage.subscribe(receiver.url, { types: ['livestream.ended'] })
  await stage.run(`update grants set revoked_at = now(), revoke_reason = 'user' where user_id = '${user.id}'`)
  await transact(stage.context, (tx) => disableForLostGrants(tx, user.id))
  expect(await health()).toMatchObject({
    status: 'disabled',
    disabledReason: 'grant_lost',
    disabledAt: expect.any(Date),
  })
  expect(await stage.subscription(everybody.id)).toMatchObject({ status: 'enabled' })
  await say()
  await stage.work()
  expect(receiver.requests.filter(({ headers }) => headers['x-subscription-id'] === id)).toEqual([])
})

test('a token that expired is no loss: its subscription lives on, also when the row of the token is deleted', async () => {
  const { id, user, say, receiver, health } = await stage.scene()
  const { accessTokens } = schema
  const client = { id: stage.application.id, secret: undefined }
  const token = await stage.token(['webhook:write'], { user, client })
  await stage.elapse(accessTokens, 'expiresAt', 40 * DAY_MS)
  expect(await authenticate(stage.context, token).catch(({ code }: { code: string }) => code)).toBe('invalid_token')
  await deleteExpired(stage.context, stage.clock.at)
  expect(await stage.context.db.$count(accessTokens)).toBe(0)
  await maintainDeliveries(stage.context, stage.clock.at)
  await say()
  await stage.work()
  expect(await health()).toMatchObject({ status: 'enabled', disabledReason: null })
  expect(receiver.requests.map(({ headers }) => headers['x-subscription-id'])).toEqual([id])
})
