import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import { clients, grants, refreshTokens } from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { deleteApplication } from '../../src/domain/applications/applications.ts'
import { Problem } from '../../src/domain/core/problem.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { revokeToken } from '../../src/domain/oauth/revocation-endpoint.ts'
import { issueToken, type TokenRequest } from '../../src/domain/oauth/token-endpoint.ts'
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
}

const anyOf = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)]

test('F12 F14 thousands of operations at once leave no fork, no living token of a dead grant, no deadlock', async () => {
  await using app = await createWatched()
  const { ctx } = app
  const people = await Promise.all(['ada', 'bob', 'eve', 'dan'].map((name) => app.user(name)))
  const applications = await Promise.all([0, 1].map(() => app.client({ redirectUris: [CALLBACK] })))
  const chains: Chain[] = []

  const keep = (chain: Chain, { access_token, refresh_token }: Awaited<ReturnType<typeof issueToken>>) => {
    chain.access.add(access_token)
    if (refresh_token !== undefined && !chain.refresh.includes(refresh_token)) chain.refresh.push(refresh_token)
  }
  const start = async () => {
    const [client, user] = [anyOf(applications), anyOf(people)]
    if (!client || !user) return
    const exchange = { grant_type: 'authorization_code', ...(await allow(ctx, client, user)), ...credentials(client) }
    const chain = { client, user, exchange, access: new Set<string>(), refresh: [] }
    chains.push(chain)
    keep(chain, await issueToken(ctx, exchange))
  }
  const step = async () => {
    const chain = anyOf(chains)
    const dice = Math.random()
    const token = chain && anyOf(chain.refresh.slice(-3))
    if (!chain || token === undefined || dice < 0.05) return start()
    if (dice < 0.06) return revokeAllowed(asUser(chain), { application_id: chain.client.id })
    if (dice < 0.08) return issueToken(ctx, chain.exchange)
    if (dice < 0.12) return revokeToken(ctx, { token, ...credentials(chain.client) })
    return keep(chain, await app.refresh(chain.client, token))
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
