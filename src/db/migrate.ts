import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import { projectFolder } from '../project-folder.ts'
import { type Blocker, watchBlockers } from './blockers.ts'
import { connect, type Database, type DatabaseTarget, databaseOver } from './client.ts'
import { databaseTime } from './database-time.ts'
import { isLockTimeout } from './db-error.ts'
import { buildIndex, missingIndexes } from './large-indexes.ts'
import { unvalidatedConstraints, validateConstraint } from './late-constraints.ts'
import { makePartitions } from './partitions.ts'
import { endClient } from './pools.ts'

/** The built service reads the SQL from the sources, too: the build does not copy it. */
export const MIGRATIONS = join(projectFolder, 'src/db/migrations')

const LOCK = 4_815_162 // any number, the same in every release
const POLL_MS = 200
/** Whoever wants a table that a migration waits for waits behind it: short, and the pauses between grow. */
const LOCK_WAIT_MS = 500
const PAUSE_FIRST_MS = 1_000
const PAUSE_MAX_MS = 10_000

export type MigrateOptions = {
  folder?: string
  /** Called once if another process is migrating. */
  onWait?: () => void
  /** Called each time that a migration let go because others hold what it needs, with those. */
  onBlocked?: (blockers: Blocker[]) => void
  /** Ends the waiting: what waits is rejected. */
  stopping?: AbortSignal
  /** For how many days ahead partitions are created. */
  ahead?: number
}

/**
 * Applies pending migrations, each once even if several processes start together, and creates missing partitions. Returns how
 * many migrations it applied. They are one transaction, so a failure leaves nothing; large indexes are built, and late constraints validated, after it. A lock is waited for half a second; then
 * everything is let go and tried again, so that a dump or a long transaction holds up the migration and nobody else.
 * `target` must be a direct connection, because a session's lock does not work through a transaction pooler.
 */
export async function migrateDatabase(target: DatabaseTarget, options: MigrateOptions = {}): Promise<number> {
  const { folder = MIGRATIONS, onWait = () => {}, ahead = 7, stopping } = options
  const known = readJournal(folder)
  const client = connect(target, { max: 1, name: 'developer-api migrate', statementMs: 0, lockMs: LOCK_WAIT_MS })
  const db = databaseOver(client)
  try {
    await lock(db, onWait, stopping)
    const before = await countApplied(db)
    if (before < known.length) await applyPending(target, db, { ...options, folder })
    const applied = await countApplied(db)
    if (applied < known.length) {
      throw new Error(`${known.length} migrations are known, ${applied} are recorded: one was skipped`)
    }
    if (folder === MIGRATIONS) {
      await buildMissing(target, db, options)
      await validateLate(target, db, options)
      await makePartitions(db, await databaseTime(db), { ahead })
    }
    return applied - before
  } finally {
    await endClient(client) // also releases the lock
  }
}

type Applying = Required<Pick<MigrateOptions, 'folder'>> & Pick<MigrateOptions, 'onBlocked' | 'stopping'>

async function applyPending(target: DatabaseTarget, db: Database, { folder, onBlocked, stopping }: Applying) {
  const work = () => migrate(db, { migrationsFolder: folder })
  return patiently(work, { target, db, onBlocked, stopping })
}

async function buildMissing(target: DatabaseTarget, db: Database, { onBlocked, stopping }: MigrateOptions) {
  for (const index of await missingIndexes(db))
    await patiently(() => buildIndex(db, index), { target, db, onBlocked, stopping })
}

async function validateLate(target: DatabaseTarget, db: Database, { onBlocked, stopping }: MigrateOptions) {
  for (const constraint of await unvalidatedConstraints(db))
    await patiently(() => validateConstraint(db, constraint), { target, db, onBlocked, stopping })
}

type Patience = {
  target: DatabaseTarget
  db: Database
  onBlocked: MigrateOptions['onBlocked'] | undefined
  stopping: AbortSignal | undefined
}

/** Does work that may begin anew, until no lock that it needs is held by others for long. */
async function patiently(work: () => Promise<void>, { target, db, onBlocked, stopping }: Patience) {
  const [session] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(PAUSE_MAX_MS, 2 * pauseMs)) {
    await using watched = watchBlockers(target, session?.pid ?? 0)
    try {
      return await work()
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      onBlocked?.(watched.found())
    }
    await after(pauseMs, undefined, { ...(stopping && { signal: stopping }) })
  }
}

/** How many migrations, large indexes and validated constraints of this release the database lacks. */
export async function countPending(db: Database): Promise<number> {
  const missing = readJournal(MIGRATIONS).length - (await countApplied(db))
  return Math.max(0, missing) + (await missingIndexes(db)).length + (await unvalidatedConstraints(db)).length
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
async function lock(db: Database, onWait: () => void, stopping?: AbortSignal): Promise<void> {
  for (let polls = 0; ; polls++) {
    const [row] = await db.execute<{ mine: boolean }>(sql`select pg_try_advisory_lock(${LOCK}) as mine`)
    if (row?.mine) return
    if (polls === 0) onWait()
    await after(POLL_MS, undefined, { ...(stopping && { signal: stopping }) })
  }
}

async function countApplied(db: Database): Promise<number> {
  const table = sql`to_regclass('drizzle.__drizzle_migrations')`
  const [found] = await db.execute<{ there: boolean }>(sql`select ${table} is not null as there`)
  if (!found?.there) return 0
  const [row] = await db.execute<{ n: number }>(sql`select count(*)::int as n from drizzle.__drizzle_migrations`)
  return row?.n ?? 0
}
