import type { Sql } from 'postgres'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isDatabaseAway, isUnavailable } from '../../src/db/db-error.ts'
import { Gate } from '../../src/db/gate.ts'
import { preparing } from '../../src/db/prepared-client.ts'

const SILENT_MS = 6_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A gate over a pool that a test makes wait and be heard; `answer` ends the probe that waits, `calls` is what the gate did; `looksIn` how often it looked in a time. */
function createGate(limits = { silentMs: SILENT_MS, watchMs: 500 }) {
  const pool = { isWaiting: false, isQueued: false, heard: 0 }
  const calls = { abandoned: [] as Error[], probes: 0 }
  let looks = 0
  let answer = (_: { isThere: boolean }) => {}
  const gate = new Gate({
    ...limits,
    pulse: () => {
      looks++
      return pool
    },
    abandon: (reason) => calls.abandoned.push(reason),
    probe: () => {
      calls.probes++
      return new Promise<void>((resolve, reject) => {
        answer = ({ isThere }) => (isThere ? resolve() : reject(new Error('still away')))
      })
    },
  })
  const looksIn = async (ms: number) => {
    const before = looks
    await vi.advanceTimersByTimeAsync(ms)
    return looks - before
  }
  return { gate, pool, calls, looksIn, answer: (how: { isThere: boolean }) => answer(how) }
}

test('a gate is open until the database is found away, then one probe asks, and its answer opens it again', async () => {
  const { gate, calls, answer } = createGate()
  using _ = gate
  expect(gate.away).toBeUndefined()

  const refused = new Error('connect ECONNREFUSED')
  for (let n = 0; n < 10_000; n++) gate.close(refused)
  expect(gate.away).toMatchObject({ code: 'DATABASE_AWAY', cause: refused })
  expect(calls).toEqual({ abandoned: [gate.away], probes: 1 })

  answer({ isThere: false })
  await vi.advanceTimersByTimeAsync(150)
  expect(calls.probes).toBe(2)
  expect(gate.away).toBeDefined()

  answer({ isThere: true })
  await vi.advanceTimersByTimeAsync(0)
  expect(gate.away).toBeUndefined()
  gate.close(refused)
  expect(calls.probes).toBe(3)
})

test('a database that says nothing although it is asked is away, with that as the cause', async () => {
  const { gate, pool } = createGate()
  using _ = gate
  await vi.advanceTimersByTimeAsync(10 * SILENT_MS)
  expect(gate.away, 'nobody asked').toBeUndefined()

  pool.isWaiting = true
  gate.expectAnswer()
  await vi.advanceTimersByTimeAsync(SILENT_MS - 500)
  pool.heard++
  await vi.advanceTimersByTimeAsync(SILENT_MS)
  expect(gate.away, 'it was heard meanwhile').toBeUndefined()
  await vi.advanceTimersByTimeAsync(500)
  expect(gate.away?.cause).toMatchObject({ message: 'it has said nothing for 6000 ms' })
  expect([isUnavailable(gate.away), isDatabaseAway(gate.away)]).toEqual([true, true])
})

test('a probe on a connection that will never answer is given up soon, and every third one waits for a slow server', async () => {
  const { gate, pool, calls } = createGate()
  using _ = gate
  pool.isWaiting = true
  gate.close(new Error('it has said nothing'))
  const givenUpAt: number[] = []
  for (let ms = 500; ms <= 6_000; ms += 500) {
    const before = calls.abandoned.length
    await vi.advanceTimersByTimeAsync(500)
    if (calls.abandoned.length > before) givenUpAt.push(ms)
  }
  expect(givenUpAt).toEqual([500, 1_000, 3_000, 3_500, 4_000, 6_000])
})

test('a process that was blocked does not call a database silent whose answers it has not read', async () => {
  vi.useRealTimers()
  const { gate, pool } = createGate({ silentMs: 40, watchMs: 20 })
  using _ = gate
  pool.isWaiting = true
  gate.expectAnswer()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  setImmediate(() => pool.heard++) // after the timers that are due
  await new Promise((resolve) => setTimeout(resolve, 0))
  await new Promise((resolve) => setImmediate(resolve))
  expect(gate.away).toBeUndefined()
})

test('a gate that is disposed of does nothing more', async () => {
  const { gate, pool, calls } = createGate()
  gate[Symbol.dispose]()
  gate.close(new Error('CONNECTION_CLOSED'))
  pool.isWaiting = true
  gate.expectAnswer()
  await vi.advanceTimersByTimeAsync(10 * SILENT_MS)
  expect([gate.away, calls.probes]).toEqual([undefined, 0])
})

test('where nothing is asked nobody looks', async () => {
  const { gate, pool, answer, looksIn } = createGate()
  using _ = gate
  expect(await looksIn(10_000)).toBe(0)
  gate.expectAnswer()
  expect(await looksIn(10_000), 'all was answered').toBe(1)

  pool.isWaiting = true
  gate.expectAnswer()
  expect(await looksIn(2_000), 'an answer is waited for').toBe(4)
  gate.close(new Error('connect ECONNREFUSED'))
  answer({ isThere: true })
  pool.isWaiting = false
  await looksIn(500)
  expect(gate.away).toBeUndefined()
  expect(await looksIn(10_000)).toBe(0)
})

test('while statements wait to be sent it looks on, for nobody says when they are; it calls nobody silent who was not asked', async () => {
  const { gate, pool, looksIn } = createGate()
  using _ = gate
  pool.isQueued = true
  gate.expectAnswer()
  expect(await looksIn(10 * SILENT_MS)).toBe(120)
  expect(gate.away).toBeUndefined()
  Object.assign(pool, { isQueued: false, isWaiting: true })
  await vi.advanceTimersByTimeAsync(SILENT_MS)
  expect(gate.away).toBeDefined()
})

test('whatever of a transaction is not answered is noticed, its end included', async () => {
  const { gate, pool, looksIn } = createGate()
  using _ = gate
  let end = () => {}
  const begin = (work: (tx: object) => Promise<void>) => work({ unsafe: async () => [], savepoint: () => {} })
  const client = preparing({ begin, unsafe: async () => [] } as unknown as Sql, { gate })
  const isNoticed = async () => {
    pool.isWaiting = true
    await vi.advanceTimersByTimeAsync(SILENT_MS + 500)
    const { away } = gate
    pool.isWaiting = false
    await vi.advanceTimersByTimeAsync(SILENT_MS)
    return away !== undefined
  }
  expect(await isNoticed(), 'nothing was asked').toBe(false)
  const ended = client.begin(
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  )
  await looksIn(2_000)
  expect(await looksIn(10_000), 'it rests').toBe(0)
  end()
  await ended
  expect(await isNoticed()).toBe(true)
})
