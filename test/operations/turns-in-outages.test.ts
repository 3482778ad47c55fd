import { afterEach, expect, test, vi } from 'vitest'
import type { ActorContext } from '../../src/domain/core/context.ts'
import { transactInTurn } from '../../src/domain/core/turns/transact-in-turn.ts'

afterEach(() => void vi.useRealTimers())

/** Somebody whose first transaction meets a database that says nothing. */
function createHeld() {
  let fail = (_: Error) => {}
  const transaction = vi.fn(
    () =>
      new Promise((_, reject) => {
        fail = reject
      }),
  )
  const principal = { kind: 'user', userId: 'usr_held', username: 'held', clientId: null, scopes: [] }
  const ctx = { db: { transaction }, principal } as unknown as ActorContext
  const ask = () => transactInTurn(ctx, async () => 'done').catch((error: { code: string }) => error.code)
  return { ask, transaction, fail: (code: string) => fail(Object.assign(new Error(code), { code })) }
}

test('whoever waits for what a silent database ends is answered as that is, and not blamed for asking twice', async () => {
  vi.useFakeTimers()
  const { ask, transaction, fail } = createHeld()
  const [first, second] = [ask(), ask()]
  await vi.advanceTimersByTimeAsync(7_000) // a statement has 5 s, and a silent database is waited for 6 s
  fail('DATABASE_AWAY')
  expect(await first).toBe('DATABASE_AWAY')
  await vi.advanceTimersByTimeAsync(0)
  expect(transaction).toHaveBeenCalledTimes(2)
  fail('DATABASE_AWAY')
  expect(await second).toBe('DATABASE_AWAY')
})

test('nobody waits longer than a request may take, and who does is told to come again', async () => {
  vi.useFakeTimers()
  const { ask, fail } = createHeld()
  const [first, second] = [ask(), ask()]
  await vi.advanceTimersByTimeAsync(9_400)
  expect(await second).toBe('unavailable')
  fail('57014')
  expect(await first).toBe('57014')
})
