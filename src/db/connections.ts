import type { Database } from './client.ts'
import { statement } from './statement.ts'

export type Connections = { name: string; state: string; count: number }

/** Connections of all processes of the service to this database, by client and state. */
export const countConnections: (db: Database) => Promise<Connections[]> = statement<[], Connections>(`
select application_name as name, coalesce(state, 'starting') as state, count(*)::int as count from pg_stat_activity
where datname = current_database() and application_name ~ '^developer-api[a-z ]*$'
group by 1, 2`)
