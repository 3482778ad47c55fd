import { backendOf, connect, outcomeOf, report, terminate, untilAsleep } from './fault.ts'

/** The client is ended after the server has cut one of its statements. */
const sql = connect({ max: 1 })
const pid = await backendOf(sql)
const cut = outcomeOf(sql`select pg_sleep(5)`)
await untilAsleep(pid)
await terminate(pid)
report({ cut: await cut, end: await outcomeOf(sql.end()) })
