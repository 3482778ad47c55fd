import { EventEmitter, once } from 'node:events'
import { backendOf, connect, outcomeOf, report, terminate, untilAsleep } from './fault.ts'

/** The backend of a transaction is killed: in the midst of a statement, between two of them, before those that wait. */
const closings = new EventEmitter()
const sql = connect({ max: 4, onclose: () => closings.emit('close') })

const during = sql.begin(async (tx) => {
  const pid = await backendOf(tx)
  await Promise.all([tx`select pg_sleep(5)`, untilAsleep(pid).then(() => terminate(pid))])
})
const duringOutcome = await outcomeOf(during)

const between = sql.begin(async (tx) => {
  const closing = once(closings, 'close')
  await terminate(await backendOf(tx))
  await closing
  await tx`select 1`
})
const betweenOutcome = await outcomeOf(between)

const queued: Promise<string>[] = []
const parallel = sql.begin(async (tx) => {
  const pid = await backendOf(tx)
  for (let i = 0; i < 3; i++) queued.push(outcomeOf(tx`select pg_sleep(2)`))
  await untilAsleep(pid)
  await terminate(pid)
  await Promise.all(queued)
})
const parallelOutcome = await outcomeOf(parallel)

const lost = [duringOutcome, betweenOutcome, parallelOutcome, ...(await Promise.all(queued))]
report({ lost, next: await outcomeOf(sql`select 1`) })
