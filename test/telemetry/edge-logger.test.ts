import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { EdgeLogger } from '../../src/telemetry/edge-logger.ts'

test('a failure is logged once when it begins and once when it ends, however often it is reported', () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const edge = new EdgeLogger(log, { down: 'Down', up: 'Up', facts: { part: 'one' } })
  edge.up()
  expect(lines).toEqual([])
  edge.down({ reason: 'first' })
  edge.down({ reason: 'second' })
  edge.up()
  edge.up()
  edge.down({ reason: 'third' }, 'error')
  expect(lines).toMatchObject([
    { level: 40, part: 'one', reason: 'first', msg: 'Down' },
    { level: 40, part: 'one', awayMs: expect.any(Number), msg: 'Up' },
    { level: 50, part: 'one', reason: 'third', msg: 'Down' },
  ])
})

test.each(['warn', 'error'] as const)(
  'whoever is told of a failure is told of its end, at whatever level (%s)',
  (level) => {
    const lines: string[] = []
    const log = pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
    const edge = new EdgeLogger(log, { down: 'Down', up: 'Up' })
    edge.down({}, level)
    edge.up()
    expect(lines).toEqual(['Down', 'Up'])
  },
)

test('what works by halves is logged when that begins and when it has ended, not at each turn', async () => {
  vi.useFakeTimers()
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const edge = new EdgeLogger(log, { down: 'Down', up: 'Up' })
  const said = () => lines.map(({ msg }) => msg)
  for (let n = 0; n < 10_000; n++) {
    edge.down({})
    edge.up()
    if (n % 100 === 0) await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(said()).toEqual(['Down', 'Up', 'Down'])
  await vi.advanceTimersByTimeAsync(9_000)
  expect(said()).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(said()).toEqual(['Down', 'Up', 'Down', 'Up'])
  expect(lines[3]?.awayMs).toBeGreaterThan(98_000)

  await vi.advanceTimersByTimeAsync(10_000)
  edge.down({})
  edge.up()
  expect(said(), 'it was steady meanwhile').toEqual(['Down', 'Up', 'Down', 'Up', 'Down', 'Up'])
  vi.useRealTimers()
})

test('what failed again and was not heard to work is not said to work', async () => {
  vi.useFakeTimers()
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const edge = new EdgeLogger(log, { down: 'Down', up: 'Up' })
  for (const report of ['down', 'up', 'down', 'up', 'down'] as const) edge[report]({})
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lines.map(({ msg }) => msg)).toEqual(['Down', 'Up', 'Down'])
  edge.up()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(lines.map(({ msg }) => msg)).toEqual(['Down', 'Up', 'Down', 'Up'])
  vi.useRealTimers()
})
