import { connect, type DatabaseTarget, databaseOver } from './client.ts'
import { endClient } from './pools.ts'
import type { Pooler } from './session-settings.ts'
import { statement } from './statement.ts'

export type SessionShortcomings = {
  role: string
  /** Limits of time that do not hold for the service's sessions, as behind a pooler that sets none. */
  unlimited: string[]
  /** Whether the role sees the transactions of other roles. */
  sees_others: boolean
}

const select = statement<[], Omit<SessionShortcomings, 'unlimited'> & { unlimited: string | null }>(`
select current_user::text as role, pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees_others,
  (select string_agg(name, ' ' order by name) from pg_settings where setting = '0'
    and name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')) as unlimited`)

/** What sessions of the pools lack, asked as the pools ask, through the pooler if there is one. */
export async function findShortcomings(target: DatabaseTarget, pooler?: Pooler): Promise<SessionShortcomings> {
  const client = connect(target, { max: 1, ...(pooler && { pooler }) })
  try {
    const [found] = await select(databaseOver(client))
    if (!found) throw new Error('A select without a table returned no row')
    return { ...found, unlimited: found.unlimited?.split(' ') ?? [] }
  } finally {
    await endClient(client)
  }
}
