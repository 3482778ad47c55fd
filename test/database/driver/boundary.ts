import { admin, connect, openAll, outcomeOf, report } from './fault.ts'

/** `begin` is the statement that fills the pipeline of a connection; then everybody writes and is told that it is done. */
const MAX = 4
const WRITES = 200
const results: unknown[] = []
await admin`create table boundary (n int)`
for (const pipeline of [100, 5, 0]) {
  await admin`truncate boundary`
  const sql = connect({ max: MAX, max_pipeline: pipeline })
  await openAll(sql, MAX)
  const filling = Array.from({ length: MAX * pipeline }, () => sql`select pg_sleep(0.001)`.execute())
  const begun = await outcomeOf(sql.begin((tx) => tx`insert into boundary values (0)`))
  await Promise.all(filling)
  const writes = Array.from({ length: WRITES }, (_, n) => outcomeOf(sql`insert into boundary values (${n})`))
  const written = await Promise.all(writes)
  await sql.end({ timeout: 1 })
  const [row] = await admin`select count(*)::int as rows from boundary`
  results.push({ begun, acknowledged: written.filter((result) => result === 'resolved').length, rows: row?.rows })
}
report({ results })
