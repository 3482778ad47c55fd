import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ConnectionError,
  CursorExpiredError,
  DeveloperApi,
  type EventType,
  ForbiddenError,
  LoginRequiredError,
  type UserTokens,
} from '../../sdk/typescript/src/index.ts'
import { createFeedApp } from '../events/support/feed.ts'

let app: Awaited<ReturnType<typeof createFeedApp>>
beforeAll(async () => {
  app = await createFeedApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const apiOf = (credential: string | (() => string)) => new DeveloperApi({ baseUrl: app.base, credential })

type Told = { type: EventType; data: object }
/** Follows the feed in the background, until `count` events were heard. */
function following(
  api: DeveloperApi,
  count: number,
  options: { after?: string; since?: string; types?: EventType[] } = {},
) {
  const stop = new AbortController()
  let opened = () => {}
  const heard: string[] = []
  const ready = new Promise<void>((resolve) => {
    opened = resolve
  })
  const feed = api.events.follow({ ...options, signal: stop.signal, onOpen: () => opened() })
  const done = (async () => {
    for await (const { type, data } of feed as AsyncIterable<Told>) {
      heard.push('content' in data ? String(data.content) : type)
      if (heard.length === count) break
    }
    return heard
  })()
  return { feed, ready, heard, done, stop: () => stop.abort() }
}

type Answer = (() => Promise<Response>) | undefined

/** A person's tokens, and what the requests of a program come to that the service does not answer itself. */
function refreshing(
  access_token: string,
  expires_at: number,
  ofRefresh: () => Answer,
  ofFeed: () => Answer = () => undefined,
  whenKept?: Error,
) {
  let kept = ''
  const fresh = {
    access_token: app.userToken,
    refresh_token: 'next',
    scope: '',
    expires_in: 3_600,
    token_type: 'Bearer',
  }
  const wire: typeof fetch = (input, init) => {
    const isRefresh = String(input).endsWith('/oauth/token')
    const answer = isRefresh ? (ofRefresh() ?? (async () => Response.json(fresh))) : ofFeed()
    return answer ? answer() : fetch(input, init)
  }
  const user: UserTokens = {
    clientId: 'cli',
    tokens: { access_token, refresh_token: 'first', scope: '', expires_at },
    onTokens: (tokens) => {
      if (whenKept) throw whenKept
      kept = tokens.access_token
    },
  }
  return { api: new DeveloperApi({ baseUrl: app.base, user, tries: 1, fetch: wire }), tokens: () => kept }
}

describe('events.follow', () => {
  test('begins now, and hears what happens', async () => {
    await app.say('before')
    const { ready, done } = following(apiOf(app.userToken), 2)
    await ready
    for (const content of ['one', 'two']) await app.say(content)
    expect(await done).toEqual(['one', 'two'])
  })

  test('goes on where it was cut off, also where nothing was heard before', async () => {
    const { ready, done, heard } = following(apiOf(app.userToken), 20)
    await ready
    for (let number = 0; number < 20; number++) {
      if (number % 5 === 0) app.server.closeAllConnections()
      await app.say(String(number))
    }
    expect(await done).toEqual(Array.from({ length: 20 }, (_, number) => String(number)))
    expect(heard).toHaveLength(20)
  })

  test('gives an application each event once, over resumes', async () => {
    const { ready, done } = following(apiOf(app.applicationToken), 10, { types: ['chat.message.sent'] })
    await ready
    for (let number = 0; number < 10; number++) {
      await app.say(String(number), number % 2 ? app.bob : app.ada)
      if (number % 3 === 0) app.server.closeAllConnections()
    }
    expect((await done).toSorted()).toEqual(Array.from({ length: 10 }, (_, number) => String(number)))
  })

  test('goes on from a cursor that was kept, behind the event that the loop was at', async () => {
    const first = following(apiOf(app.userToken), 1)
    await first.ready
    for (const content of ['kept', 'missed', 'missed too']) await app.say(content)
    await first.done
    const { cursor } = first.feed
    expect(cursor).toBeDefined()
    expect(await following(apiOf(app.userToken), 2, { after: cursor ?? '' }).done).toEqual(['missed', 'missed too'])
  })

  test('asks for another token when its own has ended, and misses nothing', async () => {
    const client = await app.client()
    const tokens = [await app.token(['chat:read'], { user: app.ada, client }), app.userToken]
    const { ready, done } = following(
      apiOf(() => tokens[0] ?? ''),
      2,
    )
    await ready
    await app.say('by the first')
    const [first = ''] = tokens.splice(0, 1)
    await app.request('POST /oauth/revoke', {
      body: { token: first, client_id: client.id, client_secret: client.secret },
    })
    await app.say('by the second')
    expect(await done).toEqual(['by the first', 'by the second'])
  })

  test('says why it could not be opened or was lost, and goes on', async () => {
    const answers = [
      () => Promise.reject(new TypeError('fetch failed')),
      async () => Response.json({ error: { code: 'unavailable', message: 'Later.' } }, { status: 503 }),
    ]
    const wire: typeof fetch = (input, init) => (answers.shift() ?? (() => fetch(input, init)))()
    const api = new DeveloperApi({ baseUrl: app.base, credential: app.userToken, fetch: wire })
    const told: unknown[] = []
    const feed = api.events.follow({
      types: ['chat.message.sent'],
      onOpen: () => {
        if (told.includes('open')) return void app.say('again')
        told.push('open')
        app.server.closeAllConnections()
      },
      onLost: (error) => told.push(error instanceof ConnectionError ? error.message : error.code),
    })
    for await (const { data } of feed) {
      expect(data.content).toBe('again')
      break
    }
    const refused = `${app.base} did not answer.`
    expect(told).toEqual([refused, 'unavailable', 'open', `${app.base} cut the stream off.`])
  })

  /** What a refresh can meet beside its success, and whether that passes. */
  const lost = () => Promise.reject(new TypeError('fetch failed'))
  const busy = async () => Response.json({ error: { code: 'unavailable', message: 'Later.' } }, { status: 503 })
  const gone = async () => Response.json({ error: { code: 'invalid_grant', message: 'Gone.' } }, { status: 400 })

  test.each([
    ['before the stream is opened', 0],
    ['because the stream was refused', Date.now() + 3_600_000],
  ])('goes on when nobody answers a refresh that is due %s', async (_, expires_at) => {
    const answers = [lost, busy]
    const { api, tokens } = refreshing('lsat_ended', expires_at, () => answers.shift())
    const told: string[] = []
    const feed = api.events.follow({
      types: ['chat.message.sent'],
      onOpen: () => void app.say('after the refresh'),
      onLost: (error) => told.push(error instanceof ConnectionError ? error.message : error.code),
    })
    for await (const { data } of feed) {
      expect(data.content).toBe('after the refresh')
      break
    }
    expect(told).toEqual([`${app.base} did not answer.`, 'unavailable'])
    expect(tokens()).toBe(app.userToken)
  })

  test('has a token refreshed that was refused, however long nobody answered before', async () => {
    let failures = 4
    const { api, tokens } = refreshing(
      'lsat_ended',
      Date.now() + 3_600_000,
      () => undefined,
      () => (failures-- > 0 ? lost : undefined),
    )
    const feed = api.events.follow({ types: ['chat.message.sent'], onOpen: () => void app.say('at last') })
    for await (const { data } of feed) {
      expect(data.content).toBe('at last')
      break
    }
    expect(tokens()).toBe(app.userToken)
  })

  test('throws what waiting does not help in a refresh: a login that has ended, tokens that cannot be kept', async () => {
    const ended = refreshing('lsat_ended', 0, () => gone)
    await expect(following(ended.api, 1).done).rejects.toThrow(LoginRequiredError)
    const full = refreshing(
      'lsat_ended',
      0,
      () => undefined,
      () => undefined,
      new Error('the disk is full'),
    )
    await expect(following(full.api, 1).done).rejects.toThrow('the disk is full')
  })

  test('ends by its signal, without an error', async () => {
    const { ready, done, stop } = following(apiOf(app.userToken), 1)
    await ready
    stop()
    expect(await done).toEqual([])
  })

  test('throws what waiting does not help: a cursor that is too old, a scope that is missing', async () => {
    const since = app.context.now().toISOString()
    await app.say('of a release that gave it no place among those of other channels')
    await app.context.db.execute(sql`update events set position = null`)
    await expect(following(apiOf(app.applicationToken), 1, { since }).done).rejects.toThrow(CursorExpiredError)
    const weak = await app.token(['chat:read'], { user: app.ada })
    await expect(following(apiOf(weak), 1, { types: ['livestream.started'] }).done).rejects.toThrow(ForbiddenError)
  })
})

test('events.read gives pages, each of which leads on', async () => {
  const api = apiOf(app.userToken)
  const { next } = await api.events.read()
  await app.say('on a page')
  const page = await api.events.read({ after: next, types: ['chat.message.sent'] })
  expect(page.events.map(({ data }) => data.content)).toEqual(['on a page'])
  expect((await api.events.read({ after: page.next })).events).toEqual([])
})
