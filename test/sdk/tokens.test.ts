import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { DeveloperApi, LoginRequiredError, type Tokens, type UserTokens } from '../../sdk/typescript/src/index.ts'
import { accessTokens, refreshTokens } from '../../src/db/schema/index.ts'
import { createOAuthApp } from '../support/flows.ts'

const HOUR_MS = 3_600_000

let app: Awaited<ReturnType<typeof createOAuthApp>>
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** What a login gave just now. */
async function loggedIn(): Promise<Tokens> {
  const { access_token, refresh_token, scope } = await app.newGrant()
  return { access_token, refresh_token, scope, expires_at: Date.now() + HOUR_MS }
}

/** An hour later or more, for both clocks. */
async function pass(ms = HOUR_MS) {
  vi.setSystemTime(Date.now() + ms)
  for (const table of [accessTokens, refreshTokens]) await app.elapse(table, 'expiresAt', ms)
  await app.elapse(refreshTokens, 'consumedAt', ms)
}

/** A program of the user that keeps its tokens, and the requests for tokens that it has sent. */
function program(first: Tokens, more: Partial<UserTokens> = {}) {
  const kept = { tokens: first, saves: 0 }
  const { id, secret } = app.client
  const requests: string[] = []
  const user: UserTokens = {
    clientId: id,
    clientSecret: secret,
    tokens: () => kept.tokens,
    onTokens: (tokens) => {
      kept.tokens = tokens
      kept.saves++
    },
    ...more,
  }
  const listening: typeof fetch = (input, init) => {
    requests.push(new URL(String(input)).pathname)
    return fetch(input, init)
  }
  const api = new DeveloperApi({ baseUrl: app.base, user, fetch: listening })
  return { api, kept, requests, refreshes: () => requests.filter((path) => path === '/oauth/token').length }
}

describe('a user’s tokens', () => {
  test('are refreshed for a month, over restarts of the program', async () => {
    let tokens = await loggedIn()
    for (let day = 0; day < 30; day++) {
      const { api, kept, refreshes } = program(tokens)
      for (let half = 0; half < 2; half++) {
        await pass(12 * HOUR_MS)
        expect((await api.users.me()).username).toBe('ada')
      }
      expect(refreshes()).toBe(2)
      tokens = kept.tokens
    }
  })

  test('are refreshed once for however many calls need it', async () => {
    const { api, refreshes, kept } = program(await loggedIn())
    await pass()
    const names = await Promise.all(Array.from({ length: 20 }, async () => (await api.users.me()).username))
    expect(new Set(names)).toEqual(new Set(['ada']))
    expect([refreshes(), kept.saves]).toEqual([1, 1])
  })

  test('are kept before they are used', async () => {
    const order: string[] = []
    const { api, requests } = program(await loggedIn(), {
      onTokens: async () => {
        await new Promise(setImmediate)
        order.push(...requests, 'kept')
      },
    })
    await pass()
    await api.users.me()
    expect(order).toEqual(['/oauth/token', 'kept'])
  })

  test('that could not be kept are asked for again, and are the same', async () => {
    const given: Tokens[] = []
    const { api } = program(await loggedIn(), {
      onTokens: (tokens) => {
        given.push(tokens)
        if (given.length === 1) throw new Error('the disk is full')
      },
    })
    await pass()
    await expect(api.users.me()).rejects.toThrow('the disk is full')
    expect((await api.users.me()).username).toBe('ada')
    expect(given[0]?.refresh_token).toBe(given[1]?.refresh_token)
  })

  test('that another process has refreshed meanwhile are taken, under the lock that both share', async () => {
    let last = Promise.resolve<unknown>(undefined)
    const lock = <Result>(work: () => Promise<Result>) => {
      const next = last.then(work)
      last = next.catch(() => {})
      return next
    }
    const shared = { tokens: await loggedIn() }
    const save = (tokens: Tokens) => {
      shared.tokens = tokens
    }
    const processes = Array.from({ length: 5 }, () =>
      program(shared.tokens, { lock, tokens: () => shared.tokens, onTokens: save }),
    )
    await Promise.all(processes.map(({ api }) => api.users.me()))
    await pass()
    await Promise.all(processes.map(({ api }) => api.users.me()))
    expect(processes.map(({ refreshes }) => refreshes()).toSorted()).toEqual([0, 0, 0, 0, 1])
  })

  test('that end before their time are refreshed when a call is refused', async () => {
    const first = await loggedIn()
    const { api, refreshes } = program(first)
    await app.revoke({ token: first.access_token, client_id: app.client.id, client_secret: app.client.secret ?? '' })
    expect((await api.users.me()).username).toBe('ada')
    expect(refreshes()).toBe(1)
  })

  test('that are gone for good ask for a login', async () => {
    const first = await loggedIn()
    const { api } = program(first)
    const { id, secret = '' } = app.client
    await app.revoke({ token: first.refresh_token ?? '', client_id: id, client_secret: secret })
    await pass()
    const error = await api.users.me().catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(LoginRequiredError)
    expect(error).toMatchObject({ code: 'invalid_grant', status: 400 })
  })
})

test('an application’s own token is got, and got again when it has ended', async () => {
  const application = { clientId: app.client.id, clientSecret: app.client.secret ?? '' }
  const api = new DeveloperApi({ baseUrl: app.base, application })
  for (let hour = 0; hour < 3; hour++) {
    await Promise.all([api.channels.get('ada'), api.channels.get('ada')])
    await pass()
  }
})
