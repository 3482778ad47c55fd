import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { statement } from '../../src/db/statement.ts'
import { statementsInFlight, watchStatements } from '../../src/process/metrics/statements.ts'
import { createTestDatabase } from '../support/database.ts'

const takeTime = statement<[string], { said: string }>(
  `select $1::text as said, -- what a comment explains isn't shown
    'a quoted word -- and no comment' as quoted, pg_sleep(0.55)::text`,
)
const answerAtOnce = statement<[], { one: number }>('select 1 as one')

test('a slow statement is logged by its text, without values, and a quick one is not', async () => {
  await using database = await createTestDatabase()
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  await using pools = openPools(database.target, watchStatements({ log }))

  await answerAtOnce(pools.db)
  const asked = takeTime(pools.db, 'a secret')
  expect(await asked).toMatchObject([{ said: 'a secret' }])

  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({
    pool: 'fast',
    statement: expect.stringMatching(/^select \$1::text as said, '…' as quoted, pg_sleep/),
  })
  expect(lines[0]?.durationMs).toBeGreaterThan(500)
  expect(JSON.stringify(lines)).not.toMatch(/a secret|a quoted word|comment/)
  expect(statementsInFlight.fast).toBe(0)
})
