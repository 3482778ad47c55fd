import { pino } from 'pino'
import { expect, test } from 'vitest'
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
    { level: 30, part: 'one', awayMs: expect.any(Number), msg: 'Up' },
    { level: 50, part: 'one', reason: 'third', msg: 'Down' },
  ])
})
