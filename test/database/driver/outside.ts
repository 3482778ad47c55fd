import type { Sql, TransactionSql } from 'postgres'
import { admin, backendOf, connect, outcomeOf, report, terminate } from './fault.ts'

/** The backend of a transaction is killed while others keep the pool busy; the transaction goes on, then rolls back. */
const kept: unknown[] = []
await admin`create table outside (n int)`
for (const max of [1, 4]) {
  await admin`truncate outside`
  const sql = connect({ max })
  let work: Promise<void> | undefined
  const begun = sql.begin((tx) => {
    work = goOn(sql, tx)
    return work
  })
  await outcomeOf(begun) // which the loss of its connection rejects, while the work goes on
  await outcomeOf(work ?? begun)
  const [row] = await admin`select count(*)::int as rows from outside`
  kept.push(row?.rows)
}
report({ kept })

async function goOn(sql: Sql, tx: TransactionSql): Promise<void> {
  const pid = await backendOf(tx)
  const others = Array.from({ length: 40 }, (_, i) => outcomeOf(sql`select pg_sleep(0.01), ${i}::int`))
  await terminate(pid)
  await Promise.all(others)
  await tx`insert into outside values (1)`
  throw new Error('rolled back')
}
