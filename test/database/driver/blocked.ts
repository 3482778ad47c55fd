import { setTimeout as after, setImmediate as afterPoll } from 'node:timers/promises'
import { backendOf, connect, openAll, outcomeOf, report, untilAsleep } from './fault.ts'

/** This process computes for longer than a connection may be silent, and for longer than one may take to be opened. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
const sql = connect({ max: 1, idle_timeout: 0.5 })
await openAll(sql, 1)
const pid = await backendOf(sql)
const asked = outcomeOf(sql`select 1 from pg_sleep(1)`, 20_000)
await untilAsleep(pid)
await afterPoll() // timers come before what was read
block(5_700)

const opening = connect({ max: 1, connect_timeout: 0.5 })
const opened = outcomeOf(opening`select 1`, 20_000)
await after(2) // it is dialled
await afterPoll()
block(700)
report({ asked: await asked, opened: await opened })
