import { afterAll, expect, test } from 'vitest'
import { authenticate } from '../../../src/domain/access/authenticate.ts'
import { authenticateOverlay } from '../../../src/domain/access/authenticate-overlay.ts'
import { findSession, listSessions } from '../../../src/domain/access/sessions.ts'
import { listOwnAudit } from '../../../src/domain/accounts/audit-log.ts'
import { listKeys } from '../../../src/domain/applications/api-keys.ts'
import { listApplicationAudit } from '../../../src/domain/applications/audit-log.ts'
import { listSecrets } from '../../../src/domain/applications/client-secrets.ts'
import { listApplications } from '../../../src/domain/applications/list.ts'
import { listCategories } from '../../../src/domain/categories.ts'
import { getChannel, listChannels } from '../../../src/domain/channels.ts'
import { listMessages, sendMessage } from '../../../src/domain/chat.ts'
import type { Caller } from '../../../src/domain/core/caller.ts'
import type { Context } from '../../../src/domain/core/context.ts'
import { lowerBound } from '../../../src/domain/core/ids.ts'
import { encodeCursor, type Page, type PageRequest } from '../../../src/domain/core/paging.ts'
import { scopes } from '../../../src/domain/core/scopes.ts'
import { filterOf } from '../../../src/domain/events/feed/filter.ts'
import { readHistory } from '../../../src/domain/events/feed/history.ts'
import { startFor } from '../../../src/domain/events/feed/start.ts'
import { selectChanged, selectNext } from '../../../src/domain/events/tail/channel-events.ts'
import { selectPositions } from '../../../src/domain/events/tail/positions.ts'
import { deleteExpired } from '../../../src/domain/expiry.ts'
import { listLivestreams } from '../../../src/domain/livestream-list.ts'
import { listBans } from '../../../src/domain/moderation.ts'
import { listAllowed } from '../../../src/domain/oauth/allowed-applications.ts'
import { listOverlays } from '../../../src/domain/overlays.ts'
import { getUsage } from '../../../src/domain/usage/read.ts'
import { getCurrentUser } from '../../../src/domain/users.ts'
import { listDeliveries } from '../../../src/domain/webhooks/deliveries/ledger.ts'
import { redeliver } from '../../../src/domain/webhooks/deliveries/redeliver.ts'
import { replayDeliveries } from '../../../src/domain/webhooks/deliveries/replay.ts'
import { claimDue } from '../../../src/domain/webhooks/queue/claim.ts'
import { checkDue } from '../../../src/domain/webhooks/queue/due-check.ts'
import { listSubscriptionDetails, listSubscriptions } from '../../../src/domain/webhooks/subscriptions/list.ts'
import { DAY_MS } from '../../../src/time/durations.ts'
import { createTestContext } from '../../support/context.ts'
import { createTestDatabase } from '../../support/database.ts'
import { insertCredentials } from './credentials.ts'
import { type Explained, openExplained, wasteIn } from './explained.ts'
import { first, identifiersUntil } from './identifiers.ts'
import { changeFifty, fill, NOW } from './seed.ts'

/**
 * Each verb is called on a database with many rows, and PostgreSQL tells how it went about it: by indexes in the order of
 * the page, without a sort, and without touching more rows than the page needs. Where a verb has few rows to bring into
 * another order, its case says so.
 */
const database = await createTestDatabase()
await fill(database.target)
const explained = openExplained(database.target)
const { db, slow } = explained
const base = await createTestContext()
const { nth } = identifiersUntil(NOW)
const ctx: Context = { ...base.context, db, slow, replica: slow, now: () => new Date(NOW) }
afterAll(async () => {
  for (const resource of [explained, base, database]) await resource[Symbol.asyncDispose]()
})

const caller: Caller = {
  authorization: undefined,
  session: undefined,
  address: '127.0.0.1',
  isForwarded: false,
  requestId: 'r',
  userAgent: undefined,
}
const asUser = (n: number, client: number | null = null) => ({
  ...ctx,
  caller,
  principal: {
    kind: 'user' as const,
    userId: first('usr', n),
    username: `user_${n}`,
    clientId: client === null ? null : first('cli', client),
    scopes,
  },
})
const asApplication = (n: number) => ({
  ...ctx,
  principal: { kind: 'application' as const, clientId: first('cli', n), scopes },
})

const { token, key, secret } = await insertCredentials(database.db)

/** What reads a page is judged by its second one, whose cursor comes from the first. */
async function secondPage(list: (page: PageRequest) => Promise<Page<unknown>>) {
  const { next } = await list({ limit: 100 })
  if (next === null) throw new Error('The list is too short for a second page')
  return explained.explain(() => list({ limit: 100, cursor: next }))
}
const call = (work: () => Promise<unknown>) => explained.explain(work)
/** Of a subscription with ninety pending deliveries. */
const [finished] = await database.db.execute<{ id: string }>(`select d.id from webhook_deliveries_done d
  join webhook_subscriptions s on s.id = d.subscription_id and s.user_id is null limit 1`)
/** Of what it asks for nothing has ever happened. */
const unheard = nth('sub', 5, 9_000)
await database.db.execute(`update webhook_subscriptions set event_types = '{channel.updated}' where id = '${unheard}'`)
const operator = { ...ctx, principal: { kind: 'operator' as const } }
const deliveriesOf = { subscription: nth('sub', 3, 9_000) }
const owner = asApplication(4)
const channels = [1, 2, 3].map((n) => first('usr', n))
const ago = (ms: number) => lowerBound('event', new Date(NOW - ms))
const history = { after: 0, upTo: 1_000_000, from: ago(30 * DAY_MS) }
const chat = filterOf(['chat.message.sent'])
const since = new Date(NOW - 20 * DAY_MS).toISOString()

type Case = [name: string, rowsMost: number, explain: () => Promise<{ statements: Explained[] }>, allowed?: RegExp]

const cases: Case[] = [
  ['an access token', 1, () => call(() => authenticate(ctx, token))],
  ['an API key', 1, () => call(() => authenticate(ctx, key))],
  ['an overlay key', 1, () => call(() => authenticateOverlay(ctx, '77'))],
  ['overlay keys of a channel', 10, () => call(() => listOverlays(asUser(7)))],
  ['a login session', 1, () => call(() => findSession(ctx, secret))],
  ['the current user', 1, () => call(() => getCurrentUser(asUser(7)))],
  ['a channel', 1, () => call(() => getChannel(ctx, 'user_77'))],
  ['channels', 101, () => secondPage((page) => listChannels(ctx, page))],
  ['categories', 101, () => secondPage((page) => listCategories(ctx, page))],
  ['live streams, the first page', 101, () => call(() => listLivestreams(ctx, { limit: 100 }))],
  ['live streams', 101, () => secondPage((page) => listLivestreams(ctx, page))],
  [
    'live streams, what has changed since a walk began', // of some 600 that changed in the ten minutes before it
    700,
    async () => {
      const cursor = encodeCursor(ctx, 'livestreams', ['-infinity', '~', ...(await changeFifty(db))])
      return call(() => listLivestreams(ctx, { limit: 100, cursor }))
    },
    /^Sort$/,
  ],
  [
    'the live stream of a channel',
    1,
    () => call(() => listLivestreams(ctx, { limit: 100, broadcaster_user_id: first('usr', 7) })),
  ],
  ['chat, the newest of a busy room', 101, () => call(() => listMessages(ctx, { limit: 100, room_name: 'user_1' }))],
  [
    'chat, older ones of a busy room',
    101,
    () => secondPage((page) => listMessages(ctx, { ...page, room_name: 'user_1' })),
  ],
  ['a message and its event', 100, () => call(() => sendMessage(asUser(9), { room_name: 'user_5000', content: 'x' }))],
  ['bans', 101, () => secondPage((page) => listBans(asUser(1), page))],
  ['subscriptions of a user', 101, () => secondPage((page) => listSubscriptions(asUser(3, 3), page))],
  ['subscriptions of an application', 101, () => secondPage((page) => listSubscriptions(asApplication(4), page))],
  ['login sessions', 101, () => secondPage((page) => listSessions(asUser(1), page))],
  [
    'keys of an application',
    101,
    () => secondPage((page) => listKeys({ ...asUser(2) }, { ...page, application_id: first('cli', 1) })),
  ],
  ['what happened to an account', 101, () => secondPage((page) => listOwnAudit(asUser(1), page))],
  [
    'what happened to an application',
    101,
    () => secondPage((page) => listApplicationAudit(asUser(2), { ...page, application_id: first('cli', 1) })),
  ],
  ['secrets of an application', 1, () => call(() => listSecrets(asUser(2), { id: first('cli', 1) }))],
  [
    'webhooks of an application',
    900, // all of a busy one, of its users too: few enough to be sorted
    () => call(() => listSubscriptionDetails(asUser(2), { limit: 100, application_id: first('cli', 1) })),
    /^(Sort|Materialize)$/, // of the one application
  ],
  [
    'webhooks of a developer, over all applications',
    900, // those of 45 applications, one of them busy: few enough to be sorted
    () => call(() => listSubscriptionDetails(asUser(2), { limit: 100 })),
    /^(Sort|Materialize)$/,
  ],
  [
    'usage of an application, of a day',
    160_000, // 24 hours with 333 rows, for each of 20 subscriptions: in partitions as small as here an hour is read by its key, at any time of day
    () => call(() => getUsage(asUser(2), { application_id: first('cli', 1), span: 'day' })),
    /^Sort$/,
  ],
  ['applications of a developer', 101, () => call(() => listApplications(asUser(2), { limit: 100 })), /^Sort$/],
  ['applications that a user has allowed', 30, () => call(() => listAllowed(asUser(2), { limit: 100 })), /^Sort$/],
  // the partition of a day that has just begun is read by its key: what else is in it is passed over
  ['deliveries', 300, () => secondPage((page) => listDeliveries(owner, { ...page, ...deliveriesOf })), /^Sort$/],
  ['deliveries of all', 20_000, () => call(() => listDeliveries(owner, { limit: 100 })), /^Sort$/],
  [
    'failed deliveries of all',
    20_000,
    () => call(() => listDeliveries(owner, { limit: 100, outcome: 'failed' })),
    /^Sort$/,
  ],
  [
    'failed deliveries',
    600, // all that failed, half of all: few enough to be sorted
    () => call(() => listDeliveries(owner, { limit: 100, outcome: 'failed', ...deliveriesOf })),
    /^Sort$/,
  ],
  [
    'what is new in some channels',
    303,
    () => call(() => selectNext(db, channels, ['9000', '9000', '9000'], ago(30 * DAY_MS))),
    /^Sort$/,
  ],
  ['which of some channels have changed', 6, () => call(() => selectChanged(db, channels, ['0', '0', '0'])), /^Sort$/],
  ['what is new in all channels', 501, () => call(() => selectPositions(db, 0, ago(30 * DAY_MS)))],
  ['past events of a channel', 501, () => call(() => readHistory(ctx, first('usr', 3), history, chat)), /^Sort$/],
  ['past events of all channels', 501, () => call(() => readHistory(ctx, '*', history, chat)), /^Sort$/],
  ['where a time is in a channel', 1_001, () => call(() => startFor(ctx, first('usr', 3), 0, { since })), /^Sort$/],
  ['where a time is among all events', 1_002, () => call(() => startFor(ctx, '*', 0, { since })), /^Sort$/],
  ['what is due', 300, () => call(() => claimDue(ctx, { lane: 0, limit: 100 })), /Sort$|^(Hash|Merge) Join$/],
  [
    'what is due, beside 8,000 slow receivers for which there is no place',
    300,
    () => call(() => claimDue(ctx, { lane: 0, limit: 100, places: { slow: 0 } })),
    /Sort$|^(Hash|Merge) Join$/,
  ],
  [
    'sending one again, before what else is due',
    9,
    () => call(() => redeliver(operator, { id: finished?.id ?? '' })),
    /^(Sort|Merge Join)$/, // of the one row
  ],
  [
    'each step of a replay through 12,000 events of which none is wanted',
    1_000,
    () => call(() => replayDeliveries(operator, { subscription: unheard, only: 'missed' })),
    /Sort$|^Seq Scan$/, // the partition of a day that has just begun is read as it stands
  ],
  ['whether anything is due', 1, () => call(() => checkDue(ctx))],
  ['what has expired', 1_000, () => call(() => deleteExpired(ctx, ctx.now()))],
]

test.each(cases)('%s', async (_name, rowsMost, explain, allowed = /^$/) => {
  const { statements } = await explain()
  expect(statements.length).toBeGreaterThan(0)
  for (const statement of statements) expect(wasteIn(statement, rowsMost, allowed)).toBe('')
})
