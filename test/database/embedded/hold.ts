import { writeSync } from 'node:fs'
import { connect } from '../../../src/db/client.ts'
import { type EmbeddedOptions, startEmbedded } from '../../../src/db/embedded/supervisor.ts'
import { endClient } from '../../../src/db/pools.ts'

/**
 * A process that runs the embedded database, to be killed: `hold.ts '{"dataDir":"…"}'`. Prints a line of JSON when it is
 * ready, or the error; with `write`, then the number of every row whose commit was acknowledged.
 */
const { write, ...options } = JSON.parse(process.argv[2] ?? '{}') as EmbeddedOptions & { write?: number }
const print = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`)

try {
  const server = await startEmbedded({ ...options, log: (line) => writeSync(2, `${line}\n`) })
  const sql = connect(server.target, { max: 4 })
  await sql`create table if not exists kept (n bigint primary key)`
  const [count] = await sql<[{ rows: number }]>`select count(*)::int as rows from kept`
  let isStopping = false

  const stop = async (signal: string) => {
    if (isStopping) return
    isStopping = true
    // a request in flight: it still gets its answer
    const [answer] = await sql`select true as "isAlive" from pg_sleep(0.2)`
    await endClient(sql)
    await server.stop()
    print({ signal, ...answer })
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
  void server.failed.then((error) => {
    print({ error: error.message })
    process.exit(3)
  })

  const { isFresh, target } = server
  print({ node: process.pid, server: server.pid(), isFresh, rows: count.rows, host: target.host })
  for (let n = write ?? 0; n > 0 && !isStopping; n++) {
    await sql`insert into kept values (${n})`
    writeSync(1, `${n}\n`)
  }
  process.stdin.resume() // lives until it is stopped or killed
} catch (error) {
  print({ error: error instanceof Error ? error.message : error })
  process.exit(1)
}
