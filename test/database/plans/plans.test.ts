import { afterAll, expect, test } from 'vitest'
import { accessTokens, apiKeys, loginSessions } from '../../../src/db/schema/index.ts'
import { authenticate } from '../../../src/domain/access/authenticate.ts'
import { findSession, listSessions } from '../../../src/domain/access/sessions.ts'
import { mint } from '../../../src/domain/access/token-format.ts'
import { listOwnAudit } from '../../../src/domain/accounts/audit-log.ts'
import { listKeys } from '../../../src/domain/applications/api-keys.ts'
import { listApplicationAudit } from '../../../src/domain/applications/audit-log.ts'
import { listSecrets } from '../../../src/domain/applications/client-secrets.ts'
import { listApplications } from '../../../src/domain/applications/list.ts'
import { listCategories } from '../../../src/domain/categories.ts'
import { getChannel, listChannels } from '../../../src/domain/channels.ts'
import { listMessages, sendMessage } from '../../../src/domain/chat.ts'
import type { Caller, Context } from '../../../src/domain/core/context.ts'
import { inMs } from '../../../src/domain/core/db-now.ts'
import { sha256 } from '../../../src/domain/core/digest.ts'
import type { Page, PageRequest } from '../../../src/domain/core/paging.ts'
import { scopes } from '../../../src/domain/core/scopes.ts'
import { readEvents } from '../../../src/domain/events/log.ts'
import { deleteExpired } from '../../../src/domain/expiry.ts'
import { listLivestreams } from '../../../src/domain/livestreams.ts'
import { listBans } from '../../../src/domain/moderation.ts'
import { listAllowed } from '../../../src/domain/oauth/allowed-applications.ts'
import { getUsage } from '../../../src/domain/usage/read.ts'
import { getCurrentUser } from '../../../src/domain/users.ts'
import { listDeliveries } from '../../../src/domain/webhooks/deliveries/ledger.ts'
import { claimDue } from '../../../src/domain/webhooks/queue/claim.ts'
import { checkDue } from '../../../src/domain/webhooks/queue/due-check.ts'
import { listSubscriptionDetails, listSubscriptions } from '../../../src/domain/webhooks/subscriptions/list.ts'
import { createTestContext } from '../../support/context.ts'
import { createTestDatabase } from '../../support/database.ts'
import { type Explained, nodesOf, openExplained, outline, touchedBy } from './explained.ts'
import { fill, first, nth } from './seed.ts'

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
const ctx: Context = { ...base.context, db, slow, replica: slow, now: () => new Date() }
afterAll(async () => {
  await explained[Symbol.asyncDispose]()
  await Promise.all([base, database].map((resource) => resource[Symbol.asyncDispose]()))
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

const [token, key, secret] = [mint('access'), mint('key'), 'a secret of a session']
await database.db.insert(accessTokens).values({
  hash: sha256(token),
  clientId: first('cli', 1),
  userId: first('usr', 1),
  grantId: nth('grt', 1, 10_000),
  scopes: [...scopes],
  expiresAt: inMs(3_600_000),
})
await database.db.insert(apiKeys).values({
  id: first('key', 9_999),
  clientId: first('cli', 1),
  name: 'key',
  hash: sha256(key),
  last4: 'abcd',
  scopes: [...scopes],
  createdAt: new Date(),
})
await database.db.insert(loginSessions).values({
  id: nth('ses', 9_999, 9_999),
  secretHash: sha256(secret),
  userId: first('usr', 1),
  createdAt: new Date(),
  lastSeenAt: inMs(0),
  expiresAt: inMs(3_600_000),
})

/** What reads a page is judged by its second one, whose cursor comes from the first. */
async function secondPage(list: (page: PageRequest) => Promise<Page<unknown>>) {
  const { next } = await list({ limit: 100 })
  if (next === null) throw new Error('The list is too short for a second page')
  return explained.explain(() => list({ limit: 100, cursor: next }))
}
const call = (work: () => Promise<unknown>) => explained.explain(work)
const deliveriesOf = { subscription: nth('sub', 3, 9_000) }
const owner = asApplication(4)

type Case = [name: string, rowsMost: number, explain: () => Promise<{ statements: Explained[] }>, allowed?: RegExp]

const cases: Case[] = [
  ['an access token', 1, () => call(() => authenticate(ctx, token))],
  ['an API key', 1, () => call(() => authenticate(ctx, key))],
  ['a login session', 1, () => call(() => findSession(ctx, secret))],
  ['the current user', 1, () => call(() => getCurrentUser(asUser(7)))],
  ['a channel', 1, () => call(() => getChannel(ctx, 'user_77'))],
  ['channels', 101, () => secondPage((page) => listChannels(ctx, page))],
  ['categories', 101, () => secondPage((page) => listCategories(ctx, page))],
  ['live streams, the first page', 101, () => call(() => listLivestreams(ctx, { limit: 100 }))],
  ['live streams', 101, () => secondPage((page) => listLivestreams(ctx, page))],
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
  [
    'failed deliveries',
    600, // all that failed, half of all: few enough to be sorted
    () => call(() => listDeliveries(owner, { limit: 100, outcome: 'failed', ...deliveriesOf })),
    /^Sort$/,
  ],
  ['events of a channel', 101, () => call(() => readEvents(asUser(3), nth('evt', 10, 12_000)))],
  ['events of every channel', 101, () => call(() => readEvents(owner, nth('evt', 10, 12_000)))],
  ['what is due', 300, () => call(() => claimDue(ctx, { lane: 0, limit: 100, after: '' })), /Sort$|^Merge Join$/],
  ['whether anything is due', 1, () => call(() => checkDue(ctx))],
  ['what has expired', 1_000, () => call(() => deleteExpired(ctx, ctx.now()))],
]

const WASTEFUL = /^(Seq Scan|Sort|Incremental Sort|Hash Join|Merge Join|Materialize)$/

test.each(cases)('%s', async (_name, rowsMost, explain, allowed = /^$/) => {
  const { statements } = await explain()
  expect(statements.length).toBeGreaterThan(0)
  for (const { text, plan } of statements) {
    for (const node of nodesOf(plan)) {
      const type = node['Node Type']
      const isWasteful = WASTEFUL.test(type) && !allowed.test(type) && touchedBy(node) > 0
      const isTooMuch = touchedBy(node) > rowsMost * 1.1 + 1
      if (isWasteful || isTooMuch) expect.fail(`${type} reads ${touchedBy(node)} rows:\n${outline(plan)}\n${text}`)
    }
  }
})
