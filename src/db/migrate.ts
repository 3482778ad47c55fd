import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import { projectFolder } from '../project-folder.ts'
import { connect, type Database, type DatabaseTarget, databaseOver } from './client.ts'
import { maintainPartitions } from './partitions.ts'
import { endClient } from './pools.ts'

/** The built service reads the SQL from the sources, too: the build does not copy it. */
export const MIGRATIONS = join(projectFolder, 'src/db/migrations')

const LOCK = 4_815_162 // any number, the same in every release
const POLL_MS = 200

export type MigrateOptions = {
  folder?: string
  /** Called once if another process is migrating. */
  onWait?: () => void
  /** For how many days ahead partitions are created. */
  ahead?: number
}

/**
 * Applies pending migrations, each once even if several processes start together, and creates missing partitions. Returns how
 * many migrations it applied. They are one transaction, so a failure leaves nothing. `target` must be a direct connection,
 * because a session's lock does not work through a transaction pooler.
 */
export async function migrateDatabase(target: DatabaseTarget, options: MigrateOptions = {}): Promise<number> {
  const { folder = MIGRATIONS, onWait = () => {}, ahead = 7 } = options
  const known = readJournal(folder)
  const client = connect(target, { max: 1, name: 'developer-api migrate', statementMs: 0 })
  const db = databaseOver(client)
  try {
    await lock(db, onWait)
    const before = await countApplied(db)
    await migrate(db, { migrationsFolder: folder })
    const applied = await countApplied(db)
    if (applied < known.length) {
      throw new Error(`${known.length} migrations are known, ${applied} are recorded: one was skipped`)
    }
    if (folder === MIGRATIONS) await maintainPartitions(db, { ahead })
    return applied - before
  } finally {
    await endClient(client) // also releases the lock
  }
}

/** How many migrations of this release the database lacks. */
export async function countPending(db: Database): Promise<number> {
  return Math.max(0, readJournal(MIGRATIONS).length - (await countApplied(db)))
}

type Entry = { tag: string; when: number }

/** The entries of the journal. Throws unless they are complete and in order: drizzle skips one that is older than the newest applied. */
export function readJournal(folder: string): Entry[] {
  const text = readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')
  const { entries } = JSON.parse(text) as { entries: Entry[] }
  for (const [i, { tag, when }] of entries.entries()) {
    const previous = entries[i - 1]
    if (previous && when <= previous.when) {
      throw new Error(`${tag} is not newer than ${previous.tag}, so drizzle would skip it: generate it again`)
    }
    if (!existsSync(join(folder, `${tag}.sql`))) throw new Error(`${tag}.sql is missing`)
  }
  return entries
}

/**
 * Polls, because a session that waits inside pg_advisory_lock() holds a snapshot, and a concurrent index build by the owner
 * of the lock would wait for that.
 */
async function lock(db: Database, onWait: () => void): Promise<void> {
  for (let polls = 0; ; polls++) {
    const [row] = await db.execute<{ mine: boolean }>(sql`select pg_try_advisory_lock(${LOCK}) as mine`)
    if (row?.mine) return
    if (polls === 0) onWait()
    await after(POLL_MS)
  }
}

async function countApplied(db: Database): Promise<number> {
  const table = sql`to_regclass('drizzle.__drizzle_migrations')`
  const [found] = await db.execute<{ there: boolean }>(sql`select ${table} is not null as there`)
  if (!found?.there) return 0
  const [row] = await db.execute<{ n: number }>(sql`select count(*)::int as n from drizzle.__drizzle_migrations`)
  return row?.n ?? 0
}
