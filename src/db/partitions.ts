import { sql } from 'drizzle-orm'
import { DAY_MS } from '../time/durations.ts'
import type { Database } from './client.ts'
import { databaseTime } from './database-time.ts'
import { isDetachPending, isRetryable, lackingPartition } from './db-error.ts'
import { partitionRanges } from './partition-ranges.ts'
import { decodeTime, idPrefixAt } from './time-prefix.ts'

/**
 * Tables that are partitioned by ranges of identifiers. An identifier begins with its time, so that a table ordered by id is
 * ordered by time, the primary key is the id alone, and a look-up by id reads one partition.
 *
 * There is no DEFAULT partition. With one, a page would read every partition instead of the newest, a reader would block
 * ATTACH, a stray row would prevent the partition of its day, and DETACH … CONCURRENTLY would be refused.
 */
const PARTITIONED = [
  { table: 'chat_messages', prefix: 'msg', unit: 'month', keepDays: undefined },
  { table: 'audit_log', prefix: 'aud', unit: 'month', keepDays: 400 },
  { table: 'events', prefix: 'evt', unit: 'day', keepDays: 35 }, // 30 days are promised; the rest is the longest schedule of attempts
  { table: 'webhook_deliveries_done', prefix: 'dlv', unit: 'day', keepDays: 35 },
  { table: 'webhook_attempts', prefix: 'dlv', unit: 'day', keepDays: 35 },
  { table: 'request_log', prefix: 'req', unit: 'day', keepDays: 7 },
] as const

type Partitioned = (typeof PARTITIONED)[number]

/** In days. */
export type PartitionWindow = { back?: number; ahead?: number }

export type MaintainedPartitions = { made: string[]; dropped: string[] }

/**
 * Creates the missing partitions for the days around today, then drops those that are too old, both by the clock of the
 * database: whoever asks, nothing of the days that are kept is dropped. Safe beside readers and writers, and in several
 * processes at once. Throws if it cannot get a lock within two seconds; the next run does the rest.
 */
export async function maintainPartitions(db: Database, window: PartitionWindow = {}): Promise<MaintainedPartitions> {
  const now = await databaseTime(db)
  const made = await makePartitions(db, now, window)
  const dropped: string[] = []
  for (const one of PARTITIONED) dropped.push(...(await dropOld(db, one, now)))
  return { made, dropped }
}

/**
 * Creates the current partitions if a row was rejected for lack of one, and returns whether that row has one now, whoever made
 * it. This happens only after the hourly maintenance has failed for a week, but then to every row: all that are rejected
 * together wait for one making.
 */
export async function mendPartitions(db: Database, error: unknown): Promise<boolean> {
  const lacking = lackingPartition(error)
  const one = lacking && PARTITIONED.find(({ table }) => table === lacking.table)
  if (!one) return false
  const made = mending.get(db) ?? databaseTime(db).then((now) => makePartitions(db, now))
  mending.set(db, made)
  await made.finally(() => mending.delete(db))
  return (await partitionsOf(db, one.table)).some(({ from, to }) => from <= lacking.id && lacking.id < to)
}

const mending = new WeakMap<Database, Promise<unknown>>()

/** Creates the missing partitions from `back` days before `now` to `ahead` days after it. Returns their names. */
export async function makePartitions(
  db: Database,
  now: Date,
  { back = 0, ahead = 7 }: PartitionWindow = {},
): Promise<string[]> {
  const from = new Date(now.getTime() - back * DAY_MS)
  const to = new Date(now.getTime() + ahead * DAY_MS)
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local lock_timeout = '2s'`)
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('partitions'))`)
    const names: string[] = []
    for (const one of PARTITIONED) names.push(...(await makeMissing(tx, one, from, to)))
    return names
  })
}

/** Until when, from `now` on, every partitioned table has partitions without a gap; `now` itself if one lacks the present one. */
export async function partitionsUntil(db: Database, now: Date): Promise<Date> {
  const ends = await Promise.all(
    PARTITIONED.map(async ({ table, prefix }) => {
      let end = idPrefixAt(prefix, now)
      for (const { from, to } of await partitionsOf(db, table)) if (from <= end && end < to) end = to
      return decodeTime(end)
    }),
  )
  return new Date(Math.min(...ends))
}

async function makeMissing(tx: Database, { table, prefix, unit }: Partitioned, from: Date, to: Date) {
  const present = new Set((await partitionsOf(tx, table)).map(({ name }) => name))
  const missing = partitionRanges(unit, from, to)
    .map((span) => ({ ...span, name: `${table}_${span.name}` }))
    .filter(({ name }) => !present.has(name))
  for (const { name, from, to } of missing) {
    // one that somebody detached is taken back: a table of its name would prevent all others. CREATE … PARTITION OF would wait for all readers of the table and block everybody behind it; ATTACH does not
    const [low, high] = [idPrefixAt(prefix, from), idPrefixAt(prefix, to)]
    await run(
      tx,
      `create table if not exists ${name} (like ${table} including defaults including constraints including storage)`,
    )
    await run(tx, `alter table ${table} attach partition ${name} for values from ('${low}') to ('${high}')`)
  }
  return missing.map(({ name }) => name)
}

async function dropOld(db: Database, { table, prefix, unit, keepDays }: Partitioned, now: Date): Promise<string[]> {
  if (keepDays === undefined) return []
  const oldest = new Date(now.getTime() - keepDays * DAY_MS)
  const limit = idPrefixAt(prefix, oldest)
  for (const partition of await partitionsOf(db, table)) {
    if (partition.to <= limit && !(await detach(db, table, partition))) break
  }
  const [kept] = partitionRanges(unit, oldest, oldest)
  const detached = await detachedFrom(db, table)
  const dropped = detached.filter((name) => name < `${table}_${kept?.name}`) // one that an operator detached may be young
  for (const name of dropped) await run(db, `drop table if exists ${name}`)
  return dropped
}

/**
 * Waits for readers without blocking them. Returns whether the table's next partition may follow: PostgreSQL detaches one at
 * a time, so nothing follows while another process detaches one, or one is left pending that was cut short; of two that
 * begin together one may wait for the other in a circle, and is ended (40P01). The next run finishes that.
 */
async function detach(db: Database, table: string, { name, isPending }: Partition): Promise<boolean> {
  try {
    await run(db, `alter table ${table} detach partition ${name} ${isPending ? 'finalize' : 'concurrently'}`)
    return true
  } catch (error) {
    const left = await partitionsOf(db, table)
    if (left.every((partition) => partition.name !== name)) return true // another process was faster
    if (isDetachPending(error) || isRetryable(error) || left.some((partition) => partition.isPending)) return false
    throw error
  }
}

/** Former partitions of a table, which are detached but not dropped yet. */
async function detachedFrom(db: Database, table: string): Promise<string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition
      and relname ~ ${`^${table}_[0-9]{6,8}$`}`)
  return rows.map(({ name }) => name)
}

type Partition = { name: string; from: string; to: string; isPending: boolean }

/** The partitions of a table and their bounds, in order of time. */
async function partitionsOf(db: Database, table: string): Promise<Partition[]> {
  const rows = await db.execute<Partition>(sql`
    select child.relname as name, inhdetachpending as "isPending",
      substring(pg_get_expr(child.relpartbound, child.oid) from $$FROM \\('([^']+)'\\)$$) collate "C" as from,
      substring(pg_get_expr(child.relpartbound, child.oid) from $$TO \\('([^']+)'\\)$$) collate "C" as to
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = to_regclass(${table}) order by 4`)
  return [...rows]
}

/** DDL takes no parameters. The statements contain only names and bounds from this file. */
async function run(db: Database, statement: string): Promise<void> {
  await db.execute(sql.raw(statement))
}
