import { admin, connect, openAll, openProxy, outcomeOf, report } from './fault.ts'

/**
 * All connections are reset at once and callers ask again at once: between a socket's 'error' and its 'close' the pool
 * still hands it out.
 */
const MAX = 8
const { port, clients } = await openProxy()
const outcomes: string[] = []

async function ask(sql: ReturnType<typeof connect>, seconds: number) {
  for (let again = 0; again < 3; again++)
    outcomes.push(await outcomeOf(sql`select pg_sleep(${seconds}::float8)`, 3_000))
}

async function untilBusy() {
  for (let isBusy = false; !isBusy; ) {
    const [row] = await admin`select count(*) >= 2 as "isBusy" from pg_stat_activity where wait_event = 'PgSleep'`
    isBusy = row?.isBusy === true
  }
}

for (let round = 0; round < 5; round++) {
  const sql = connect({ host: '127.0.0.1', port, max: MAX, backoff: () => 0.05 })
  await openAll(sql, MAX)
  const callers = Array.from({ length: MAX }, (_, n) => ask(sql, n % 4 === 0 ? 0.2 : 0))
  await untilBusy()
  for (const client of clients) client.resetAndDestroy()
  await Promise.all(callers)
  await sql.end({ timeout: 0 })
}
report({ asked: outcomes.length, neverSettled: outcomes.filter((outcome) => outcome === 'never settled').length })
