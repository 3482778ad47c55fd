import { connect, type Database, type DatabaseTarget, databaseOver } from '../../../src/db/client.ts'
import { makePartitions } from '../../../src/db/partitions.ts'
import { endClient } from '../../../src/db/pools.ts'
import { DAYS, identifiersUntil, MAKE, old } from './identifiers.ts'

/**
 * When everything is read. At noon, in the middle of a month: neither the first nor the last partition has so few rows that its
 * plan would be another one, whatever time it is here.
 */
export const NOW = Date.parse('2026-01-20T12:00:00.000Z')
const { spread } = identifiersUntil(NOW)

/** What a table is filled with: so many rows of `select …, from generate_series n`. */
const ROWS: readonly [table: string, rows: number, values: string][] = [
  ['users', 10_000, `${old('usr')}, 'user_' || n, 'user' || n || '@example.com', null, null, null, now(), now(), null`],
  [
    'clients',
    9_000,
    `${old('cli')}, ${old('usr', '1 + n % 200')}, 'App', null, true, '{client_credentials}'::text[], '{chat:read}'::text[],
     'secret', null, false, now(), now(), null`,
  ],
  [
    'grants',
    10_000,
    `${spread('grt', 10_000)}, ${old('cli', '1 + n % 9000')}, ${old('usr', '1 + (n % 500) * 17')}, '{chat:read}'::text[], now(),
     now() + interval '1 year', null, null`,
  ],
  [
    'access_tokens',
    10_000,
    `sha256(n::text::bytea), ${old('cli', '1 + n % 9000')}, ${old('usr', '1 + (n % 500) * 17')}, ${spread('grt', 10_000)},
     '{chat:read}'::text[], null, now() + (n - 2000) * interval '1 minute', null`,
  ],
  [
    'login_sessions',
    10_000,
    `${spread('ses', 10_000)}, sha256(n::text::bytea), ${old('usr', '1 + (n % 50) * 170')}, now(), now(), now() + interval '1 day',
     null, null`,
  ],
  ['client_redirect_uris', 9_000, `${old('cli')}, 'https://example.com/callback'`],
  [
    'api_keys',
    6_000,
    `${old('key')}, ${old('cli', '1 + (n % 20) * 400')}, 'key', sha256(n::text::bytea), 'abcd', '{chat:read}'::text[], null, now(),
     null, now(), null, null`,
  ],
  [
    'overlay_keys',
    9_000,
    `${old('ovl')}, ${old('usr', '1 + n % 1000')}, 'key', sha256(n::text::bytea), 'abcd', '{chat.message.sent}'::text[], now(), null,
     null`,
  ],
  ['categories', 2_000, `${old('cat')}, 'cat-' || n, 'Label ' || n, null, null, false, n % 7`],
  [
    'livestreams',
    12_000,
    `${spread('str', 12_000)}, ${old('usr', '1 + n % 9000')}, 'Title', 'cat-' || (1 + n % 2000), null,
     now() - interval '1 day', now() - n * interval '1 second', case when n > 6000 then now() end`,
  ],
  [
    'chat_messages',
    24_000,
    `${spread('msg', 24_000)}, ${old('usr', 'case when n % 2 = 0 then 1 else 1 + n end')}, ${old('usr', '1 + n % 9000')},
     'user', 'text', 'hello', now()`,
  ],
  ['bans', 9_000, `${spread('ban', 9_000)}, ${old('usr', '1 + n % 20')}, ${old('usr', '100 + n')}, now()`],
  ['channel_sequences', 9_000, `${old('usr')}, 1`],
  [
    'webhook_subscriptions (id, client_id, user_id, url, event_types, created_at, updated_at, attempt_ms)',
    9_000,
    `${spread('sub', 9_000)}, ${old('cli', 'case when n <= 4500 then 1 + n % 5 else n end')}, case when n % 2 = 0 then ${old('usr', '1 + n % 40')} end,
     'https://example.com', '{chat.message.sent}'::text[], now() - interval '${DAYS} days', now(),
     case when n > 1000 then 14000 else 50 end`,
  ],
  ['events', 12_000, `${spread('evt', 12_000)}, ${old('usr', '1 + n % 40')}, n, 'chat.message.sent', now(), '{}'`],
  [
    'webhook_deliveries',
    9_000,
    `${spread('dlv', 9_000)}, ${spread('evt', 12_000)}, 'chat.message.sent', ${spread('sub', 9_000, '(1 + n % 100)')},
     0, now() + interval '1 hour', null, 0, 0, now(), 0`,
  ],
  [
    'webhook_deliveries', // and of each of the slow ones, due
    8_000,
    `${spread('dlv', 8_000, '(8_000 - n)')}, ${spread('evt', 12_000)}, 'chat.message.sent', ${spread('sub', 9_000, '(1_000 + n)')},
     0, now() - interval '1 hour', null, 0, 0, now(), 2`,
  ],
  [
    'audit_log (id, actor_type, actor_id, action, user_id, client_id)',
    9_000,
    `${spread('aud', 9_000)}, 'user', ${old('usr', '1 + n % 9')}, 'login', ${old('usr', '1 + n % 9')}, ${old('cli', '1 + n % 9')}`,
  ],
  [
    'webhook_deliveries_done',
    24_000,
    `${spread('dlv', 24_000)}, ${spread('evt', 24_000)}, 'chat.message.sent', ${spread('sub', 9_000, '(1 + n % 20)')},
     case when n % 40 = 2 then 'failed' else 'delivered' end, null, 1, now(), now()`,
  ],
  ['webhook_attempts', 24_000, `${spread('dlv', 24_000)}, 1, now(), 5, 200, null, null`],
  [
    'client_usage',
    30_000, // a hundred hours of three hundred applications
    `${old('cli', '1 + n % 300')}, to_timestamp(${NOW / 1000}) - (n / 300) * interval '1 hour', 'GET /v1/channels/', 9, 1, 0, 20`,
  ],
  ['idempotency_keys', 6_000, `'c' || n, 'k', sha256('x'), null, null, now() + (n - 2000) * interval '1 minute'`],
  ['used_assertions', 6_000, `sha256(n::text::bytea), now() + (n - 2000) * interval '1 minute'`],
]

/** So much of everything that a sequential scan or a sort would be worth nothing. */
export async function fill(target: DatabaseTarget): Promise<void> {
  const client = connect(target, { max: 1, statementMs: 0 })
  try {
    await makePartitions(databaseOver(client), new Date(NOW), { back: DAYS, ahead: 1 })
    await client.unsafe(`set session_replication_role = replica; ${MAKE}`) // without triggers no foreign key is looked up
    for (const [table, rows, values] of ROWS) {
      await client.unsafe(`insert into ${table} select ${values} from generate_series(1, ${rows}) n`)
    }
    await client.unsafe(`insert into webhook_subscription_types
      select 'chat.message.sent', coalesce(user_id, '*' || case when right(id, 2) = '01' then '' else id end), id
      from webhook_subscriptions`)
    await client.unsafe('vacuum analyze')
  } finally {
    await endClient(client)
  }
}

/** Changes fifty live streams; returns the last change before that, and the transactions of which it was. */
export async function changeFifty(db: Database): Promise<[since: string, seen: string]> {
  const live = 'from livestreams where ended_at is null'
  const [before] = await db.execute<{ since: string; seen: string }>(
    `select max(updated_at)::text as since, pg_current_snapshot()::text as seen ${live}`,
  )
  await db.execute(`update livestreams set updated_at = now() where id in (select id ${live} limit 50)`)
  return [before?.since ?? '', before?.seen ?? '']
}
