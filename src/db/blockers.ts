import { connect, type DatabaseTarget, databaseOver } from './client.ts'
import { endClient } from './pools.ts'
import { statement } from './statement.ts'

/** A session that holds a lock for which another one waits. */
export type Blocker = {
  pid: number
  application: string
  user: string
  /** How long its transaction has been open; null where the role may not see that of others. */
  age_s: number | null
  /** The first words of what it runs, or ran last; null where the role may not see that. */
  statement: string | null
}

const selectBlockers = statement<[pid: number], Blocker>(`
select pid, application_name as application, coalesce(usename, '') as user,
  round(extract(epoch from clock_timestamp() - xact_start))::int as age_s,
  (regexp_match(query, '^\\s*(\\w+(?:\\s+\\w+){0,3})'))[1] as statement
from pg_stat_activity where pid = any(pg_blocking_pids($1::int))`)

const LOOK_MS = 200

/** Looks at who holds up a session until it is disposed of, on a connection of its own; `found` are the last that were seen. */
export function watchBlockers(target: DatabaseTarget, pid: number): AsyncDisposable & { found: () => Blocker[] } {
  const client = connect(target, { max: 1, name: 'developer-api watch', statementMs: 1_000 })
  const db = databaseOver(client)
  let found: Blocker[] = []
  const timer = setInterval(() => {
    selectBlockers(db, pid).then(
      (blockers) => {
        if (blockers.length > 0) found = blockers
      },
      () => {}, // who waits fails by itself if the database is away
    )
  }, LOOK_MS)
  return {
    found: () => found,
    [Symbol.asyncDispose]: () => {
      clearInterval(timer)
      return endClient(client)
    },
  }
}
