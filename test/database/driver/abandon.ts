import { setImmediate as afterPoll } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { admin, connect, openAll, openProxy, outcomeOf, report } from './fault.ts'

/** The network swallows everything, and the pool is told to give up: what waited in it, sent or not, must not happen later. */
type Abandoning = Sql & { abandon: (reason: Error) => void }
const { port, clients } = await openProxy()
const sql = connect({ host: '127.0.0.1', port, max: 2, max_pipeline: 0 }) as Abandoning
const heard = () => [...clients].map(({ bytesRead }) => bytesRead)
await admin`create table abandoned (n int)`
await openAll(sql, 2)
for (const client of clients) client.unpipe().resume()
const heardBefore = heard()

let begun = 0
const work = [
  ...[1, 2].map((n) => sql.begin((tx) => tx`insert into abandoned values (${n})`)), // sent
  ...[3, 4].map((n) => sql`insert into abandoned values (${n})`), // these wait behind them
  sql.begin(() => {
    begun++
  }),
]
const outcomes = Promise.all(work.map((one) => outcomeOf(one)))
while (heard().some((bytes, n) => bytes === heardBefore[n])) await afterPoll() // until both connections have sent something
sql.abandon(new Error('away'))
const next = (await outcomeOf(sql`select 1`)) === 'resolved' || (await outcomeOf(sql`select 1`)) === 'resolved'
const rows = await admin`select n from abandoned`
report({ outcomes: await outcomes, begun, next, rows })
