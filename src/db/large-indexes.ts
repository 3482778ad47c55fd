import { sql } from 'drizzle-orm'
import type { Database } from './client.ts'

/** An index that is not built by a migration, which would keep everybody from writing to its table until it is done. */
export type LargeIndex = { name: string; table: string; by: string; isUnique?: true }

/** Of tables that are large by the time that the index is added, in the order in which they are built. */
export const largeIndexes: readonly LargeIndex[] = [
  {
    name: 'webhook_deliveries_claim',
    table: 'webhook_deliveries',
    by: '(lane, pace, owner_id, subscription_id, due_at)',
  },
  { name: 'events_channel_sequence', table: 'events', by: '(channel_id, sequence)' },
  { name: 'events_position', table: 'events', by: '(position)' },
  { name: 'api_keys_ended', table: 'api_keys', by: '(least(revoked_at, expires_at))' },
  { name: 'client_secrets_expiry', table: 'client_secrets', by: '(expires_at) where expires_at is not null' },
  { name: 'grants_revoked', table: 'grants', by: '(revoked_at) where revoked_at is not null' },
  {
    name: 'users_verified_email',
    table: 'users',
    by: '(lower(email)) where email_verified_at is not null',
    isUnique: true,
  },
  { name: 'users_claimed_email', table: 'users', by: '(lower(email))' },
  { name: 'users_erasure', table: 'users', by: '(erase_at) where erase_at is not null' },
  { name: 'chat_messages_author', table: 'chat_messages', by: '(user_id, id)' },
  { name: 'audit_log_actor', table: 'audit_log', by: '(actor_id, id)' },
  { name: 'webhook_secrets_expiry', table: 'webhook_secrets', by: '(expires_at) where expires_at is not null' },
]

/** Those of `wanted` that are not there, or were left unfinished by a build that was cut off. */
export async function missingIndexes(db: Database, wanted = largeIndexes): Promise<LargeIndex[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_class c join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and i.indisvalid`)
  const valid = new Set(rows.map(({ name }) => name))
  return wanted.filter(({ name }) => !valid.has(name))
}

/**
 * Builds an index while everybody reads and writes on: `create index concurrently` of PostgreSQL, and for a partitioned table,
 * which knows no such thing, one partition after the other. What was begun before is gone on with. Waits for as long as
 * transactions last that were open before; whoever comes later waits for nothing.
 */
export async function buildIndex(db: Database, { name, table, by }: LargeIndex): Promise<void> {
  const run = (text: string) => db.execute(sql.raw(text))
  if (!(await isPartitioned(db, table))) return buildPart(db, { name, table, by })
  await run(`create index if not exists ${name} on only ${table} ${by}`)
  for (const partition of await partsWithout(db, { name, table, by })) {
    const part = { name: `${partition}_${name.slice(table.length + 1)}`, table: partition, by }
    await buildPart(db, part)
    await run(`alter index ${name} attach partition ${part.name}`)
  }
}

async function buildPart(db: Database, part: LargeIndex): Promise<void> {
  const run = (text: string) => db.execute(sql.raw(text))
  const [missing] = await missingIndexes(db, [part])
  if (!missing) return
  await run('set lock_timeout = 0') // both wait for transactions and hold up nobody
  try {
    await run(`drop index concurrently if exists ${part.name}`)
    await run(`create ${part.isUnique ? 'unique ' : ''}index concurrently ${part.name} on ${part.table} ${part.by}`)
  } finally {
    await run('reset lock_timeout')
  }
}

async function isPartitioned(db: Database, table: string): Promise<boolean> {
  const [row] = await db.execute(sql`select 1 from pg_class where oid = ${table}::regclass and relkind = 'p'`)
  return row !== undefined
}

/** The partitions of a table that have no part of an index yet. */
async function partsWithout(db: Database, { name, table }: LargeIndex): Promise<string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_inherits t join pg_class c on c.oid = t.inhrelid
    where t.inhparent = ${table}::regclass and not t.inhdetachpending and not exists (
      select from pg_inherits p join pg_index i on i.indexrelid = p.inhrelid
      where p.inhparent = ${name}::regclass and i.indrelid = c.oid)
    order by c.relname`)
  return rows.map(({ name: partition }) => partition)
}
