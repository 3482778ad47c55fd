import { admin, backendOf, connect, outcomeOf, report, terminate, untilAsleep } from './fault.ts'

/**
 * Statements that fail after some of their rows have come: by an error in a later row, and with their backend. Reports the
 * rows of the statements behind them, on the same session, further on in the pipeline, and in the next session.
 */
const sql = connect({ max: 1, max_pipeline: 8 })
const failing = 'select 10 / (4 - n) as x from generate_series(1, $1::int) n'
const ask = (text: string, values: (number | string)[] = []) => sql.unsafe(text, values, { prepare: true })
const answer = async () => [...(await ask('select $1::text as answer', ['whole']))]

await answer()
const failed = outcomeOf(ask(failing, [9]))
const rows = [await answer()]
const [, piped] = await Promise.all([outcomeOf(ask(failing, [9])), answer()])
rows.push(piped)

const pid = await backendOf(sql)
const cut = outcomeOf(
  sql`select repeat('x', 3000), case when n = 20 then pg_sleep(10)::text end from generate_series(1, 30) n`,
)
await untilAsleep(pid)
await terminate(pid)
const lost = await cut
rows.push(await answer())
const outcomes = { failed: await failed, lost, rows }
await Promise.all([sql.end({ timeout: 1 }), admin.end({ timeout: 1 })])
report(outcomes)
