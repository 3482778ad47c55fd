import { connect, openAll, openProxy, outcomeOf, report } from './fault.ts'

/** The network swallows everything: no answer, no end of the connection. */
const { port, clients } = await openProxy()
const sql = connect({ host: '127.0.0.1', port, max: 2, max_pipeline: 0, idle_timeout: 0.5, connect_timeout: 2 })
await openAll(sql, 2)
for (const client of clients) client.unpipe().pause()
const swallowed = await outcomeOf(sql`select 1`, 8_000)
report({ swallowed, next: await outcomeOf(sql`select 1`) })
