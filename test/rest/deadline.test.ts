import { afterEach, expect, test, vi } from 'vitest'
import { Deadline, withinDeadline } from '../../src/domain/core/deadline.ts'

afterEach(() => void vi.useRealTimers())

const lasting = (ms: number) => new Promise<string>((resolve) => setTimeout(resolve, ms, 'done'))
/** What becomes of work, and after how many seconds. */
async function outcomeOf(work: Promise<string>): Promise<string> {
  const begunMs = performance.now()
  const settled = work.catch(({ code }) => code).then((outcome) => `${outcome} ${(performance.now() - begunMs) / 1000}`)
  await vi.advanceTimersByTimeAsync(60_000)
  return settled
}

test('work has 9.5 s, or as long as it says', async () => {
  vi.useFakeTimers()
  expect(await outcomeOf(withinDeadline(lasting(9_000)))).toBe('done 9')
  expect(await outcomeOf(withinDeadline(lasting(10_000)))).toBe('unavailable 9.5')
  expect(await outcomeOf(withinDeadline(lasting(10_000), 20_000))).toBe('done 10')
})

test('work in pieces has 9.5 s for all of them; waiting for the caller in between takes none of it', async () => {
  vi.useFakeTimers()
  const deadline = new Deadline()
  expect(await outcomeOf(deadline.within(lasting(5_000)))).toBe('done 5') // and 55 s pass
  expect(await outcomeOf(deadline.within(lasting(4_000)))).toBe('done 4')
  expect(await outcomeOf(deadline.within(lasting(4_000)))).toBe('unavailable 0.5')
})
