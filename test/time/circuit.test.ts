import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Circuit } from '../../src/time/circuit.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())
const ask = (circuit: Circuit) => Array.from({ length: 10 }, () => circuit.mayAsk()).filter(Boolean).length

test('everybody asks while it is closed, one a second while it is open, until that one has closed it', () => {
  const circuit = new Circuit()
  expect(ask(circuit)).toBe(10)
  circuit.open()
  expect(ask(circuit)).toBe(0)
  for (let second = 0; second < 3; second++) {
    vi.advanceTimersByTime(1_000)
    expect(ask(circuit)).toBe(1)
  }
  circuit.close()
  expect(ask(circuit)).toBe(10)
})
