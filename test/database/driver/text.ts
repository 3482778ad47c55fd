import { connect, report } from './fault.ts'

/**
 * One connection, two prepared statements that do the same: the text of one is long. Reports how long it takes to make ready
 * what is sent for each, ms; how the types of its parameters tell statements of one text apart; and what of a result is seen.
 */
const RUNS = 6
const STATEMENTS = 50
const LONG = 2_000_000

const sql = connect({ max: 1 })
const ask = (text: string, value: unknown) => sql.unsafe(text, [value as string], { prepare: true })

/** The shortest of several runs. The driver makes ready in the next microtasks, and nothing else happens in them. */
async function costOf(text: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) {
    const since = performance.now()
    const asked = Array.from({ length: STATEMENTS }, (_, i) => ask(text, i).execute())
    for (let i = 0; i < 10; i++) await null
    least = Math.min(least, performance.now() - since)
    await Promise.all(asked)
  }
  return least
}

const short = await costOf('select $1::int')
const long = await costOf(`select $1::int /* ${'x'.repeat(LONG)} */`)

const types: unknown[] = []
for (const value of [true, 5n, true]) types.push((await ask('select pg_typeof($1)::text as type', value))[0]?.type)

const result = await ask('select $1::int as one', 1)
const { count, command, columns } = result
report({ short, long, types, result: { seen: Object.keys(result), count, command, column: columns[0]?.name } })
