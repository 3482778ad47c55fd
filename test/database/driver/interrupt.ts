import type { Sql } from 'postgres'
import { connect, openAll, outcomeOf, report } from './fault.ts'

/** A statement is cancelled about when it ends, so that some of the cancellations come when the one behind it runs. */
type Interruptible = Sql & { connections: { current: object | null; interrupt: () => void }[] }
const sql = connect({ max: 1, max_pipeline: 100 }) as Interruptible
await openAll(sql, 1)
const behind = new Set<string>()
for (let round = 0; round < 60; round++) {
  const meant = outcomeOf(sql.unsafe(`select pg_sleep(${0.001 * (round % 10)})`))
  const next = outcomeOf(sql.unsafe('select pg_sleep(0.03)'))
  await new Promise((resolve) => setImmediate(resolve)) // they are sent
  sql.connections[0]?.interrupt()
  await meant
  behind.add(await next)
}
report({ behind: [...behind] })
