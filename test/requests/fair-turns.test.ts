import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endRequest, type RequestFindings } from '../../src/domain/core/request-record.ts'
import { FairTurns } from '../../src/domain/core/turns/fair-turns.ts'
import { Heap } from '../../src/domain/core/turns/heap.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const after = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

/** Turns of which each lasts 50 ms; `begun`: by whom, in this order. */
function createTurns(places: number) {
  const turns = new FairTurns({ places, waitingMax: 20 })
  const begun: string[] = []
  const ask = (owner: string) =>
    turns.take(owner, { waitMs: 4_000 }, async () => {
      begun.push(owner)
      await after(50)
    })
  return { ask, begun }
}

test('others who ask for the first time again and again keep nobody waiting for more than those who were there before', async () => {
  const { ask, begun } = createTurns(2)
  for (let n = 0; n < 4; n++) {
    void ask('victim')
    await vi.advanceTimersByTimeAsync(50)
  }
  let asked = 0
  const another = async (): Promise<void> => ask(`new ${asked++}`).then(another, () => {})
  for (let n = 0; n < 40; n++) void another()
  begun.length = 0
  const waited = ask('victim').then(() => 'begun')
  await vi.advanceTimersByTimeAsync(3_000)
  expect(begun).toContain('victim')
  expect(await waited).toBe('begun')
})

test('nor do many who have waited for long keep whoever asks seldom waiting for more than one of them', async () => {
  const { ask, begun } = createTurns(1)
  const loud = Array.from({ length: 60 }, (_, n) => `loud ${n}`)
  const again = async (owner: string): Promise<void> =>
    ask(owner).then(
      () => again(owner),
      () => {},
    )
  for (const owner of loud) void again(owner)
  await vi.advanceTimersByTimeAsync(60 * 50 + 2_000)
  begun.length = 0
  void ask('quiet')
  await vi.advanceTimersByTimeAsync(200)
  expect(begun.indexOf('quiet')).toBeOneOf([0, 1])
})

test('whoever has much waiting has no more turns for that: behind each of them it waits anew', async () => {
  const { ask, begun } = createTurns(1)
  const again = async (owner: string): Promise<void> =>
    ask(owner).then(
      () => again(owner),
      () => again(owner),
    )
  const owners = [...Array.from({ length: 20 }, (_, n) => `owner ${n}`), ...Array.from({ length: 20 }, () => 'loud')]
  for (const owner of owners) void again(owner)
  await vi.advanceTimersByTimeAsync(3_000)
  begun.length = 0
  await vi.advanceTimersByTimeAsync(2 * 21 * 50)
  expect(begun.filter((owner) => owner === 'loud').length).toBeLessThanOrEqual(4)
})

test('after a while what was used counts for less, and the order of those who wait is that of who had used less, also of the least', async () => {
  const turns = new FairTurns({ places: 1, waitingMax: 20 })
  const ask = (owner: string, work: () => Promise<unknown>) => turns.take(owner, { waitMs: 60_000 }, work)
  const used = Array.from({ length: 60 }, (_, n) => ({ owner: `owner ${n}`, ms: 1 + ((n * 37) % 60) }))
  for (const { owner, ms } of used) void ask(owner, () => after(ms))
  await vi.advanceTimersByTimeAsync(3_000)

  const begun: string[] = []
  const busy = ask('busy', () => after(6_000))
  const arrived = used.map((one, n) => used[(n * 23) % 60] ?? one)
  for (const { owner } of arrived) void ask(owner, async () => begun.push(owner))
  await vi.advanceTimersByTimeAsync(6_000)
  await busy
  await vi.advanceTimersByTimeAsync(1)

  const left = new Set(arrived) // in turn whoever came first, and whoever has used least
  const expected = used.map((_, n) => {
    const [first] = [...left].toSorted((one, other) => (n % 2 === 0 ? 0 : one.ms - other.ms))
    if (first) left.delete(first)
    return first?.owner
  })
  expect(begun).toEqual(expected)
})

test('ten thousand who wait and leave give up their place in line at once, and what is left is done', async () => {
  const turns = new FairTurns({ places: 1, waitingMax: 20 })
  const records: RequestFindings[] = []
  const begun: number[] = []
  const asked = Array.from({ length: 10_000 }, (_, n) => {
    const record: RequestFindings = {}
    records.push(record)
    const work = async () => {
      begun.push(n)
      await after(10)
    }
    return turns.take(`owner ${n % 1_000}`, { waitMs: 4_000, caller: { record } }, work)
  })
  const outcomes = Promise.allSettled(asked)
  for (const record of records.slice(0, 9_990)) endRequest(record)
  await vi.advanceTimersByTimeAsync(1)
  expect(records.slice(0, 9_990).every(({ onEnd }) => !onEnd?.size)).toBe(true)
  await vi.advanceTimersByTimeAsync(200)
  expect(begun).toEqual([0, ...Array.from({ length: 10 }, (_, n) => 9_990 + n)])
  const codes = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
  expect(codes).toEqual(Array.from({ length: 9_989 }, () => 'unavailable'))
  expect(records.every(({ onEnd }) => !onEnd?.size)).toBe(true)
})

test('nothing is begun for who was gone before', async () => {
  const turns = new FairTurns({ places: 1, waitingMax: 20 })
  const work = vi.fn(async () => {})
  await expect(turns.take('a', { waitMs: 1, caller: { record: { hasEnded: true } } }, work)).rejects.toThrow('Nobody')
  expect(work).not.toHaveBeenCalled()
  await expect(turns.take('a', { waitMs: 1 }, async () => 'done')).resolves.toBe('done')
})

test('what comes first among ten thousand is found by few comparisons, whatever was taken out', () => {
  let compared = 0
  const heap = new Heap<{ n: number }>((one, other) => {
    compared++
    return one.n < other.n
  })
  const items = Array.from({ length: 10_000 }, (_, k) => ({ n: (k * 7_919) % 10_000 }))
  for (const item of items) heap.add(item)
  for (const item of items) if (item.n % 3 === 0) heap.delete(item)
  heap.delete({ n: 1 })
  const found: number[] = []
  while (heap.first) {
    found.push(heap.first.n)
    heap.delete(heap.first)
  }
  expect(found).toEqual(Array.from({ length: 10_000 }, (_, n) => n).filter((n) => n % 3 !== 0))
  expect(compared / 20_000).toBeLessThan(2 * Math.log2(10_000) + 1)
})
