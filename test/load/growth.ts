import { readConfig } from '../../src/config.ts'
import { connect, databaseOver } from '../../src/db/client.ts'
import { startEmbedded } from '../../src/db/embedded/supervisor.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { makePartitions } from '../../src/db/partitions.ts'
import { endClient } from '../../src/db/pools.ts'
import { listCategories } from '../../src/domain/categories.ts'
import { getChannel, listChannels } from '../../src/domain/channels.ts'
import { listMessages, sendMessage } from '../../src/domain/chat.ts'
import type { Context } from '../../src/domain/core/context.ts'
import type { Page, PageRequest } from '../../src/domain/core/paging.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { listLivestreams } from '../../src/domain/livestream-list.ts'
import { listBans } from '../../src/domain/moderation.ts'
import { listDeliveries } from '../../src/domain/webhooks/deliveries/ledger.ts'
import { listSubscriptions } from '../../src/domain/webhooks/subscriptions/list.ts'
import { openContext } from '../../src/process/context.ts'
import { Disposables } from '../../src/process/disposables.ts'
import { DAYS, first, identifiersUntil, MAKE, old } from '../database/plans/identifiers.ts'
import { temporaryFolder } from '../support/folder.ts'
import { percentile } from './drive.ts'
import { numbersGiven } from './options.ts'
import { machineLine, table } from './table.ts'

// npm run bench:growth — how long each list and a message take as a table grows; about a minute up to a million messages,
// `-- --to 10000000` for ten. Half of the messages are in one room. Ends with status 1 when something takes twice as long.

const { to: TO } = numbersGiven({ to: 1_000_000 })
const USERS = 100_000
const DELIVERIES = 100_000
const SUBSCRIPTIONS = 1_000
const CALLS = 200
const RATIO_MAX = 2
const { nth, spread } = identifiersUntil(Date.now())

using folder = temporaryFolder()
await using opened = new Disposables()
const server = opened.use(await startEmbedded({ dataDir: folder.path }))
await migrateDatabase(server.target)
const seeding = connect({ ...server.admin, database: 'app' }, { max: 1, statementMs: 0 })
opened.defer(() => endClient(seeding))
const config = readConfig({ DATABASE_URL: 'postgres://x/y', SECRET_KEYS: 'x'.repeat(32), RATE_LIMITS: 'off' })
const context = await openContext(config, { target: server.target, disposables: opened, wake: () => {} })

await seedAllElse()
const sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000].filter((size) => size <= TO)
const measured = new Map<string, number[]>()
let there = 0
for (const size of sizes) {
  await addMessages(there, size)
  there = size
  for (const [name, call] of Object.entries(calls(context))) {
    measured.set(name, [...(measured.get(name) ?? []), await medianMs(call)])
  }
}

const rows = [...measured].map(([name, times]) => [
  name,
  ...times.map((ms) => ms.toFixed(2)),
  ratioOf(times).toFixed(2),
])
process.stdout.write(
  `${machineLine()}; median of ${CALLS} calls, ms, one after the other; ` +
    `${USERS.toLocaleString('en')} users, ${DELIVERIES.toLocaleString('en')} deliveries\n\n` +
    table(['messages', ...sizes.map((size) => size.toLocaleString('en')), 'last ÷ first'], rows),
)
process.exitCode = [...measured.values()].every((times) => ratioOf(times) < RATIO_MAX) ? 0 : 1

/** Each list at its first page and at one in the middle of it, and what is written. */
function calls(ctx: Context): Record<string, () => Promise<unknown>> {
  const user = (n: number) => ({
    ...ctx,
    principal: { kind: 'user' as const, userId: first('usr', n), username: `user_${n}`, clientId: null, scopes },
  })
  const application = { ...ctx, principal: { kind: 'application' as const, clientId: first('cli', 1), scopes } }
  const page = { limit: 50 }
  const room_name = 'user_1'
  const subscription = nth('sub', 2, SUBSCRIPTIONS)
  let sent = 0
  return {
    'a channel': () => getChannel(ctx, 'user_77777'),
    channels: () => listChannels(ctx, page),
    'channels, further on': furtherOn((request) => listChannels(ctx, request)),
    categories: () => listCategories(ctx, page),
    'live streams': () => listLivestreams(ctx, page),
    'live streams, further on': furtherOn((request) => listLivestreams(ctx, request)),
    'messages of a busy room': () => listMessages(ctx, { ...page, room_name }),
    'messages, further back': furtherOn((request) => listMessages(ctx, { ...request, room_name })),
    'messages of a quiet room': () => listMessages(ctx, { ...page, room_name: 'user_50001' }),
    bans: () => listBans(user(1), page),
    subscriptions: () => listSubscriptions(application, page),
    deliveries: () => listDeliveries(application, { ...page, subscription }),
    'a message sent': () => sendMessage(user(2 + (sent++ % 100)), { room_name, content: 'hello, as long as usual' }),
  }
}

/** Walks from page to page, and begins again when the list ends. */
function furtherOn(list: (request: PageRequest) => Promise<Page<unknown>>) {
  let cursor: string | undefined
  return async () => {
    cursor = (await list({ limit: 50, cursor })).next ?? undefined
  }
}

async function medianMs(call: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < CALLS; n++) await call()
  const taken: number[] = []
  for (let n = 0; n < CALLS; n++) {
    const begun = performance.now()
    await call()
    taken.push(performance.now() - begun)
  }
  return percentile(
    taken.toSorted((one, other) => one - other),
    0.5,
  )
}

async function addMessages(from: number, to: number) {
  await seeding.unsafe(`insert into chat_messages
    select ${spread('msg', to)}, ${old('usr', `case when n % 2 = 0 then 1 else 1 + n % ${USERS} end`)},
      ${old('usr', `1 + n % ${USERS}`)}, 'user', 'text', 'hello, as long as most of what is said in a chat', now()
    from generate_series(${from} + 1, ${to}) n`)
  await seeding.unsafe('vacuum analyze chat_messages')
}

async function seedAllElse() {
  await makePartitions(databaseOver(seeding), new Date(), { back: DAYS, ahead: 1 })
  await seeding.unsafe(`set session_replication_role = replica; ${MAKE}`) // without triggers no foreign key is looked up
  const fill = (table: string, count: number, values: string) =>
    seeding.unsafe(`insert into ${table} select ${values} from generate_series(1, ${count}) n`)
  await fill(
    'users',
    USERS,
    `${old('usr')}, 'user_' || n, 'user' || n || '@example.com', null, null, null, now(), now(), null`,
  )
  await fill(
    'clients',
    100,
    `${old('cli')}, ${old('usr')}, 'App', null, true, '{client_credentials}'::text[], '{chat:read}'::text[], 'secret', null,
     false, now(), now(), null`,
  )
  await fill('categories', 200, `${old('cat')}, 'cat-' || n, 'Label ' || n, null, null, false, n % 7`)
  await fill(
    'livestreams',
    10_000,
    `${spread('str', 10_000)}, ${old('usr')}, 'Title', 'cat-' || (1 + n % 200), null, now(), now() - n * interval '1 second', null`,
  )
  await fill('bans', 10_000, `${spread('ban', 10_000)}, ${old('usr', '1 + n % 20')}, ${old('usr', '100 + n')}, now()`)
  await fill(
    'webhook_subscriptions (id, client_id, url, event_types, created_at, updated_at)',
    SUBSCRIPTIONS,
    `${spread('sub', SUBSCRIPTIONS)}, ${old('cli', '1 + n % 2')}, 'https://example.com', '{livestream.started}'::text[], now(), now()`,
  )
  const ofSubscription = spread('sub', SUBSCRIPTIONS, '(1 + n % 10)')
  await fill(
    'webhook_deliveries_done',
    DELIVERIES,
    `${spread('dlv', DELIVERIES)}, ${spread('evt', DELIVERIES)}, 'livestream.started', ${ofSubscription}, 'delivered', null, 1, now(), now()`,
  )
  await seeding.unsafe('vacuum analyze')
}

function ratioOf(times: readonly number[]): number {
  return (times.at(-1) ?? Number.NaN) / (times[0] ?? Number.NaN)
}
