import { admin, backendOf, connect, outcomeOf, report, terminate, untilAsleep } from './fault.ts'

/** A backend that dies as it works says why. Reports how its statement ended, and the first one of the connection's next session. */
const sql = connect({ max: 1 })
const pid = await backendOf(sql)
const cut = outcomeOf(sql`select pg_sleep(10)`)
await untilAsleep(pid)
await terminate(pid)
const outcomes = { cut: await cut, next: await outcomeOf(sql`select 1`) }
await Promise.all([sql.end({ timeout: 1 }), admin.end({ timeout: 1 })])
report(outcomes)
