import { sql } from 'drizzle-orm'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import { clients, grants, refreshTokens } from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { findSession, type Session, startSession } from '../../src/domain/access/sessions.ts'
import { deleteApplication } from '../../src/domain/applications/applications.ts'
import type { CalledContext } from '../../src/domain/core/context.ts'
import { Problem } from '../../src/domain/core/problem.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { answerDevice, findDevice } from '../../src/domain/oauth/device/answer.ts'
import { authorizeDevice } from '../../src/domain/oauth/device/device-authorization.ts'
import { introspectToken } from '../../src/domain/oauth/introspection-endpoint.ts'
import { publishedKeys, rotateSigningKey } from '../../src/domain/oauth/openid/signing-keys.ts'
import { revokeToken } from '../../src/domain/oauth/revocation-endpoint.ts'
import { issueToken, type TokenRequest } from '../../src/domain/oauth/token-endpoint.ts'
import { DEVICE_CODE_GRANT } from '../../src/shared/grants.ts'
import { createTestContext, type TestClient } from '../support/context.ts'
import { allow, CALLBACK, caller, credentials, SCOPES } from '../support/flows.ts'

const AT_A_TIME = 16

/** Runs `work` so often, so many at a time, and returns every error that is no problem of the caller's. */
async function inParallel(times: number, work: (n: number) => Promise<unknown>): Promise<unknown[]> {
  const faults: unknown[] = []
  let started = 0
  const lane = async () => {
    while (started < times) {
      await work(started++).catch((error) => {
        if (!(error instanceof Problem)) faults.push(error)
      })
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, lane))
  return faults
}

/** A service whose transactions tell when the database had to break a deadlock; they are tried again, so nobody else would. */
async function createWatched() {
  const test = await createTestContext()
  const deadlocks: unknown[] = []
  const { db } = test.context
  const transaction = db.transaction.bind(db)
  db.transaction = (work, config) =>
    transaction(work, config).catch((error) => {
      if (String(error?.cause?.code ?? error?.code) === '40P01') deadlocks.push(error)
      throw error
    })
  // thousands for a few people: more than they may ask for in a minute
  const ctx = { ...test.context, counters: unlimitedCounters, caller: caller() }
  return {
    ...test,
    ctx,
    deadlocks,
    refresh: (client: TestClient, refresh_token: string) =>
      issueToken(ctx, { grant_type: 'refresh_token', refresh_token, ...credentials(client) }),
    isAlive: (token: string) =>
      authenticate(ctx, token).then(
        () => true,
        () => false,
      ),
  }
}

type Chain = {
  client: TestClient
  user: { id: string; username: string }
  exchange: TokenRequest
  access: Set<string>
  refresh: string[]
  idTokens: string[]
}

const anyOf = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)]

/** As their user is when they log in with us: a code, and an ID token beside the others. */
const LOGIN_SCOPES = ['openid', 'profile', ...SCOPES] as const

/** Allows something to an application as people do, and returns the request by which it gets its tokens. */
async function allowSomehow(ctx: CalledContext, client: TestClient, user: Chain['user']): Promise<TokenRequest> {
  const dice = Math.random()
  if (dice < 0.4)
    return { grant_type: 'authorization_code', ...(await allow(ctx, client, user)), ...credentials(client) }
  if (dice < 0.7)
    return {
      grant_type: 'authorization_code',
      ...(await allow(ctx, client, user, LOGIN_SCOPES)),
      ...credentials(client),
    }
  const scope = (dice < 0.85 ? SCOPES : LOGIN_SCOPES).join(' ')
  const { device_code, user_code } = await authorizeDevice(ctx, { scope, ...credentials(client) })
  const session = await sessionOf(ctx, user)
  const { code } = await findDevice(ctx, session, user_code)
  await answerDevice(ctx, session, code, true)
  return { grant_type: DEVICE_CODE_GRANT, device_code, ...credentials(client) }
}

async function sessionOf(ctx: CalledContext, user: { id: string }): Promise<Session> {
  const session = await findSession(ctx, await startSession(ctx, user.id, ['pwd']))
  if (!session) throw new Error('A session that was begun is not there')
  return session
}

test('F12 F14 thousands of operations at once, of codes, devices and logins, leave no fork, no living token of a dead grant', async () => {
  await using app = await createWatched()
  const { ctx } = app
  const people = await Promise.all(['ada', 'bob', 'eve', 'dan'].map((name) => app.user(name)))
  const applications = await Promise.all([0, 1].map(() => app.client({ redirectUris: [CALLBACK] })))
  const chains: Chain[] = []

  const keep = (chain: Chain, { access_token, refresh_token, id_token }: Awaited<ReturnType<typeof issueToken>>) => {
    chain.access.add(access_token)
    if (id_token !== undefined) chain.idTokens.push(id_token)
    if (refresh_token !== undefined && !chain.refresh.includes(refresh_token)) chain.refresh.push(refresh_token)
  }
  const start = async () => {
    const [client, user] = [anyOf(applications), anyOf(people)]
    if (!client || !user) return
    const exchange = await allowSomehow(ctx, client, user)
    const chain: Chain = { client, user, exchange, access: new Set(), refresh: [], idTokens: [] }
    chains.push(chain)
    keep(chain, await issueToken(ctx, exchange))
  }
  /** What happens to a chain and one of its last refresh tokens, and how often of a hundred times. */
  const deeds: [weight: number, deed: (chain: Chain, token: string) => Promise<unknown>][] = [
    [5, start],
    [1, (chain) => revokeAllowed(asUser(chain), { application_id: chain.client.id })],
    [2, (chain) => issueToken(ctx, chain.exchange)],
    [4, ({ client }, token) => revokeToken(ctx, { token, ...credentials(client) })],
    [1, () => rotateSigningKey(ctx)],
    [7, ({ client }, token) => introspectToken(ctx, { token, ...credentials(client) })],
    [80, async (chain, token) => keep(chain, await app.refresh(chain.client, token))],
  ]
  const drawn = deeds.flatMap(([weight, deed]) => Array.from({ length: weight }, () => deed))
  const step = async () => {
    const chain = anyOf(chains)
    const token = chain && anyOf(chain.refresh.slice(-3))
    return chain && token !== undefined ? anyOf(drawn)?.(chain, token) : start()
  }
  const asUser = ({ user }: Chain) => ({
    ...ctx,
    principal: { kind: 'user' as const, userId: user.id, username: user.username, clientId: null, scopes },
  })

  await inParallel(60, start)
  expect(await inParallel(2_000, step)).toEqual([])
  expect(app.deadlocks).toEqual([])

  const forks = await ctx.db.execute(sql`
    select ${refreshTokens.grantId} from ${refreshTokens} where ${refreshTokens.consumedAt} is null
    group by 1 having count(*) > 1`)
  expect([...forks]).toEqual([])
  const joined = await ctx.db.execute(sql`
    select ${refreshTokens.successorHash} from ${refreshTokens} where ${refreshTokens.successorHash} is not null
    group by 1 having count(*) > 1`)
  expect([...joined]).toEqual([])

  let [alive, dead] = [0, 0]
  const doubts = await inParallel(chains.length, async (n) => {
    const chain = chains[n]
    if (!chain || chain.refresh.length === 0) return
    const states = await Promise.all([...chain.access].map(app.isAlive))
    expect(new Set(states).size).toBe(1) // a grant lives or dies as a whole
    const last = chain.refresh.at(-1) ?? ''
    const canRefresh = await app.refresh(chain.client, last).then(
      () => true,
      () => false,
    )
    expect(canRefresh).toBe(states[0])
    if (canRefresh) alive++
    else dead++
  })
  expect(doubts).toEqual([])
  const published = createLocalJWKSet(await publishedKeys(ctx))
  const logins = chains.flatMap(({ idTokens, ...chain }) => idTokens.map((idToken) => ({ idToken, ...chain })))
  expect(logins.length).toBeGreaterThan(50)
  for (const { idToken, client, user } of logins)
    await jwtVerify(idToken, published, { issuer: ctx.publicUrl, audience: client.id, subject: user.id })
  const ways = new Set(chains.filter(({ refresh }) => refresh.length > 1).map(({ exchange }) => exchange.grant_type))
  expect([...ways].toSorted()).toEqual(['authorization_code', DEVICE_CODE_GRANT])
  expect(alive).toBeGreaterThan(0)
  expect(dead).toBeGreaterThan(0)
})

test('an application that is deleted while its tokens are used leaves nothing and waits for nobody for ever', async () => {
  await using app = await createWatched()
  const { ctx } = app
  const [ada, client] = [await app.user('ada'), await app.client({ redirectUris: [CALLBACK] })]
  const granted = await Promise.all(
    Array.from({ length: 12 }, async () =>
      issueToken(ctx, {
        grant_type: 'authorization_code',
        ...(await allow(ctx, client, ada, SCOPES)),
        ...credentials(client),
      }),
    ),
  )
  const operator = { ...ctx, principal: { kind: 'operator' as const } }
  const faults = await inParallel(200, async (n) => {
    if (n === 60) return deleteApplication(operator, { id: client.id })
    const token = granted[n % granted.length]?.refresh_token ?? ''
    return n % 5 === 0 ? revokeToken(ctx, { token, ...credentials(client) }) : app.refresh(client, token)
  })
  expect(faults).toEqual([])
  expect(app.deadlocks).toEqual([])
  for (const table of [clients, grants, refreshTokens]) expect(await ctx.db.select().from(table)).toEqual([])
  for (const { access_token } of granted) expect(await app.isAlive(access_token)).toBe(false)
})
