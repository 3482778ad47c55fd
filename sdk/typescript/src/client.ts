import { UnauthorizedError } from './errors.ts'
import type { EventType } from './events.ts'
import { Feed, type FeedPage, type FollowOptions, feedPageOf } from './feed.ts'
import type * as api from './generated/types.gen.ts'
import { jsonOf, nextIn, Pages } from './pages.ts'
import {
  type ApplicationTokens,
  type Credentials,
  fixed,
  GrantedTokens,
  RefreshedTokens,
  type UserTokens,
} from './tokens.ts'
import { type Call, type Query, Transport, type TransportOptions } from './transport.ts'

export type DeveloperApiOptions = TransportOptions &
  (
    | { credential?: string | (() => string | Promise<string>) | undefined; user?: never; application?: never }
    | { user: UserTokens; credential?: never; application?: never }
    | { application: ApplicationTokens; credential?: never; user?: never }
  )

/**
 * What is sent again by the same key within 24 hours, with the same fields, is done once: also by a program that was killed and
 * does not know. What an event leads to takes a key by the event's `id`.
 */
export type Once = { idempotencyKey?: string | undefined }

type ReadOptions<Type extends EventType> = Omit<FollowOptions<Type>, 'onOpen' | 'onLost'> & {
  limit?: number
  wait?: number
}
type QueryOf<Data extends { query?: Query | undefined }> = NonNullable<Data['query']>

/**
 * The API, as a `credential` (an API key or a token), as a `user` whose tokens are refreshed, or as an `application` that gets its
 * own. A failed call rejects with an `ApiError`, or with a `ConnectionError` when nobody answered.
 */
export class DeveloperApi {
  readonly #transport: Transport
  readonly #credentials: Credentials

  constructor({ credential, user, application, ...options }: DeveloperApiOptions) {
    this.#transport = new Transport(options)
    if (user) this.#credentials = new RefreshedTokens(this.#transport, user)
    else if (application) this.#credentials = new GrantedTokens(this.#transport, application)
    else this.#credentials = fixed(credential)
  }

  readonly users = {
    me: () => this.#one<api.CurrentUser>('/v1/users/me'),
    /** The claims of OpenID Connect, with the scope `openid`. */
    claims: async () => jsonOf<api.GetUserInfoResponse>(await this.#send({ method: 'GET', path: '/oauth/userinfo' })),
  }

  readonly channels = {
    list: (query: QueryOf<api.ListChannelsData> = {}) => this.#list<api.Channel>('/v1/channels/', query),
    get: (slug: string) => this.#one<api.Channel>(`/v1/channels/${encodeURIComponent(slug)}`),
  }

  readonly categories = {
    list: (query: QueryOf<api.ListCategoriesData> = {}) => this.#list<api.Category>('/v1/categories/', query),
    get: (id: string) => this.#one<api.Category>(`/v1/categories/${encodeURIComponent(id)}`),
  }

  readonly livestreams = {
    list: (query: QueryOf<api.ListLivestreamsData> = {}) => this.#list<api.Livestream>('/v1/livestreams/', query),
    get: (id: string) => this.#one<api.Livestream>(`/v1/livestreams/${encodeURIComponent(id)}`),
  }

  readonly chat = {
    /** The newest first as pages, the oldest first within one. */
    list: (query: api.ListChatMessagesData['query']) => this.#list<api.ListedMessage>('/v1/chat/messages', query),
    send: (message: api.SendChatMessageRequest, once?: Once) =>
      this.#create<api.SentMessage>('/v1/chat/messages', message, once),
    delete: (id: string) => this.#delete(`/v1/chat/${encodeURIComponent(id)}`),
  }

  readonly moderation = {
    list: (query: QueryOf<api.ListBansData> = {}) => this.#list<api.Ban>('/v1/moderation/bans', query),
    ban: (ban: api.CreateBanRequest, once?: Once) => this.#create<api.Ban>('/v1/moderation/bans', ban, once),
  }

  readonly subscriptions = {
    list: (query: QueryOf<api.ListSubscriptionsData> = {}) =>
      this.#list<api.Subscription>('/v1/events/subscriptions', query),
    /** `signing_secret` is in this answer and never again. */
    create: (subscription: api.CreateSubscriptionRequest, once?: Once) =>
      this.#create<api.CreatedSubscription>('/v1/events/subscriptions', subscription, once),
    delete: (id: string) => this.#delete(`/v1/events/subscriptions/${encodeURIComponent(id)}`),
  }

  readonly events = {
    /** What happens, as it happens: `for await (const event of api.events.follow({ types: ['chat.message.sent'] }))`. */
    follow: <Type extends EventType = EventType>(options: FollowOptions<Type> = {}): Feed<Type> =>
      new Feed<Type>(this.#transport, this.#credentials, options),
    /** A page of what has happened. Go on with `after: page.next`, always: a feed has no last page. */
    read: async <Type extends EventType = EventType>(options: ReadOptions<Type> = {}): Promise<FeedPage<Type>> => {
      const { types, signal, ...query } = options
      const call = { method: 'GET', path: '/v1/events', query: { ...query, types: types?.join() }, signal } as const
      return feedPageOf<Type>(await this.#send(call))
    },
  }

  /** Whether the service lives, whether it can answer, and which version it is. */
  readonly health = {
    live: async () => jsonOf<api.GetHealthResponse>(await this.#send({ method: 'GET', path: '/health/' })),
    ready: async () => jsonOf<api.GetReadinessResponse>(await this.#send({ method: 'GET', path: '/health/ready' })),
    metadata: async () => jsonOf<api.GetMetadataResponse>(await this.#send({ method: 'GET', path: '/' })),
  }

  async #one<Resource>(path: string): Promise<Resource> {
    return dataOf(await this.#send({ method: 'GET', path }))
  }

  async #create<Resource>(path: string, body: object, { idempotencyKey: key }: Once = {}): Promise<Resource> {
    const headers = key === undefined ? undefined : { 'idempotency-key': key }
    return dataOf(await this.#send({ method: 'POST', path, body, headers }))
  }

  async #delete(path: string): Promise<void> {
    await this.#send({ method: 'DELETE', path })
  }

  #list<Item>(path: string, { cursor: start, ...query }: Query): Pages<Item> {
    const read = async (cursor: string | undefined) => {
      const response = await this.#send({ method: 'GET', path, query: { ...query, cursor } })
      return { items: await dataOf<Item[]>(response), next: nextIn(response, 'cursor') }
    }
    return new Pages(read, start === undefined ? undefined : String(start))
  }

  /** Once more with another credential, where this one was refused and there can be another. */
  async #send(call: Call): Promise<Response> {
    const authorization = await this.#credentials.authorization()
    try {
      return await this.#transport.send(call, authorization)
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !(await this.#credentials.renew(authorization))) throw error
      return this.#transport.send(call, await this.#credentials.authorization())
    }
  }
}

async function dataOf<Data>(response: Response): Promise<Data> {
  const { data } = await jsonOf<{ data: Data }>(response)
  return data
}
