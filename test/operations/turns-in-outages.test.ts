import { afterEach, expect, test, vi } from 'vitest'
import type { ActorContext } from '../../src/domain/core/context.ts'
import { endRequest, type RequestFindings } from '../../src/domain/core/request-record.ts'
import { transactInTurn } from '../../src/domain/core/turns/transact-in-turn.ts'

afterEach(() => void vi.useRealTimers())

/** What a statement and a request have at most. */
const [STATEMENT_MS, DEADLINE_MS] = [5_000, 9_500]

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
  const record: RequestFindings = {}
  const ctx = { db: { transaction }, principal, caller: { record } } as unknown as ActorContext
  const ask = () => transactInTurn(ctx, async () => 'done').catch((error: { code: string }) => error.code)
  return { ask, record, transaction, fail: (code: string) => fail(Object.assign(new Error(code), { code })) }
}

test('whoever waits in vain for their own is told to come again, and not blamed for asking twice', async () => {
  vi.useFakeTimers()
  const { ask, transaction, fail } = createHeld()
  const [first, second] = [ask(), ask()]
  await vi.advanceTimersByTimeAsync(STATEMENT_MS)
  expect(await second).toBe('unavailable')
  fail('57014')
  expect(await first).toBe('57014')
  expect(transaction).toHaveBeenCalledOnce()
})

test('what begins last has the time of a statement before the request is answered', async () => {
  vi.useFakeTimers()
  const { ask, transaction, fail } = createHeld()
  const asked = [ask(), ask()]
  await vi.advanceTimersByTimeAsync(DEADLINE_MS - STATEMENT_MS)
  fail('57014')
  expect(await Promise.all(asked)).toEqual(['57014', 'unavailable'])
  expect(transaction).toHaveBeenCalledOnce()
})

test('nothing is begun for who is gone, who does not wait for that', async () => {
  const { ask, record, transaction, fail } = createHeld()
  const [first, second] = [ask(), ask()]
  endRequest(record)
  expect([await second, await ask()]).toEqual(['unavailable', 'unavailable'])
  expect(record.onEnd?.size).toBe(0)
  fail('57014')
  expect(await first).toBe('57014')
  expect(transaction).toHaveBeenCalledOnce()
})
