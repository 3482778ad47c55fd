import { ApiError, LoginRequiredError } from './errors.ts'
import type { TokenResponse } from './generated/types.gen.ts'
import { jsonOf } from './pages.ts'
import type { Call, Transport } from './transport.ts'

/** What a login gave, as it is kept. */
export type Tokens = {
  access_token: string
  /** Absent where the application is not registered for refreshing. */
  refresh_token?: string | undefined
  scope: string
  /** When the access token ends, in milliseconds since 1970. */
  expires_at: number
}

/** An application: without a secret where it cannot keep one. */
export type Application = { clientId: string; clientSecret?: string | undefined }

export type UserTokens = Application & {
  /** What a login gave, or what reads that from where it is kept: then it is read again before each refresh. */
  tokens: Tokens | (() => Tokens | Promise<Tokens>)
  /**
   * Keeps new tokens. It is waited for before they are used: a refresh token is used up by its refresh, and whoever loses
   * its successor has to log in again. Where this fails the old ones are good for another minute.
   */
  onTokens: (tokens: Tokens) => void | Promise<void>
  /**
   * Has one at a time refresh. In one process nothing is needed. Where several share tokens, give a lock of theirs, such as
   * `(work) => navigator.locks.request('tokens', work)` for the tabs of a browser, and `tokens` as a function.
   */
  lock?: (<Result>(work: () => Promise<Result>) => Promise<Result>) | undefined
}

/** What an application is by itself, without a user. */
export type ApplicationTokens = Application & { clientSecret: string; scope?: string | undefined }

/** Where requests get their credential. */
export type Credentials = {
  /** The `Authorization` header of the next request. */
  authorization(): Promise<string | undefined>
  /** Called after a refusal of what `authorization` gave; whether another try can succeed. */
  renew(refused: string | undefined): Promise<boolean>
}

const SOON_MS = 60_000

/** A token or key that is given, or asked for before each request. */
export function fixed(credential: string | (() => string | Promise<string>) | undefined): Credentials {
  const bearer = (token: string | undefined) => (token ? `Bearer ${token}` : undefined)
  const read = async () => bearer(typeof credential === 'function' ? await credential() : credential)
  return {
    authorization: read,
    renew: async (refused) => typeof credential === 'function' && (await read()) !== refused,
  }
}

/** A user's tokens, refreshed before they end, by one at a time. */
export class RefreshedTokens implements Credentials {
  readonly #transport: Transport
  readonly #options: UserTokens
  #known: Tokens | undefined
  #refreshing: Promise<Tokens> | undefined

  constructor(transport: Transport, options: UserTokens) {
    this.#transport = transport
    this.#options = options
  }

  async authorization(): Promise<string> {
    const tokens = await this.#current()
    const isEnding = tokens.expires_at - Date.now() < SOON_MS
    const { access_token } = isEnding && tokens.refresh_token ? await this.#refresh(tokens) : tokens
    return `Bearer ${access_token}`
  }

  async renew(refused: string | undefined): Promise<boolean> {
    const tokens = await this.#current()
    if (`Bearer ${tokens.access_token}` !== refused) return true // somebody has refreshed meanwhile
    if (!tokens.refresh_token) return false
    await this.#refresh(tokens)
    return true
  }

  /** All who find their tokens too old wait for the same refresh: a second one would be for a token that is used up. */
  async #refresh(old: Tokens): Promise<Tokens> {
    this.#refreshing ??= this.#locked(() => this.#refreshOnce(old)).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refreshOnce(old: Tokens): Promise<Tokens> {
    const current = typeof this.#options.tokens === 'function' ? await this.#options.tokens() : (this.#known ?? old)
    const isNew = current.access_token !== old.access_token && current.expires_at - Date.now() > SOON_MS
    this.#known = isNew ? current : await this.#exchange(current)
    return this.#known
  }

  async #exchange({ refresh_token }: Tokens): Promise<Tokens> {
    if (!refresh_token)
      throw new LoginRequiredError({ code: 'invalid_grant', status: 400, message: 'There is no refresh token.' })
    const given = { grant_type: 'refresh_token', refresh_token, ...asClient(this.#options) } as const
    const tokens = await requestTokens(this.#transport, given).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'invalid_grant' ? new LoginRequiredError(error) : error
    })
    const kept = { ...tokens, refresh_token: tokens.refresh_token ?? refresh_token }
    await this.#options.onTokens(kept)
    return kept
  }

  #locked<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#options.lock ? this.#options.lock(work) : work()
  }

  async #current(): Promise<Tokens> {
    if (this.#known) return this.#known
    const { tokens } = this.#options
    const read = typeof tokens === 'function' ? await tokens() : tokens
    this.#known ??= read // what was refreshed while this was read is newer
    return this.#known
  }
}

/** An application's own token, got again before it ends. */
export class GrantedTokens implements Credentials {
  readonly #transport: Transport
  readonly #options: ApplicationTokens
  #getting: Promise<Tokens> | undefined

  constructor(transport: Transport, options: ApplicationTokens) {
    this.#transport = transport
    this.#options = options
  }

  async authorization(): Promise<string> {
    const tokens = await this.#get()
    const isEnding = tokens.expires_at - Date.now() < SOON_MS
    if (isEnding) this.#getting = undefined
    return `Bearer ${(isEnding ? await this.#get() : tokens).access_token}`
  }

  async renew(refused: string | undefined): Promise<boolean> {
    if ((await this.authorization()) === refused) this.#getting = undefined
    return true
  }

  #get(): Promise<Tokens> {
    const { scope } = this.#options
    const given = { grant_type: 'client_credentials', ...asClient(this.#options), ...(scope && { scope }) } as const
    this.#getting ??= requestTokens(this.#transport, given).catch((error: unknown) => {
      this.#getting = undefined
      throw error
    })
    return this.#getting
  }
}

export const asClient = ({ clientId, clientSecret }: Application) => ({
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
})

/** Asks the token endpoint. `isOnce`: for what only one answer ever comes, as to a code. */
export async function requestTokens(
  transport: Transport,
  body: object,
  { isOnce = false, signal }: Pick<Call, 'isOnce' | 'signal'> = {},
): Promise<Tokens> {
  const begunMs = Date.now()
  const response = await transport.send({
    method: 'POST',
    path: '/oauth/token',
    body,
    isOnce,
    signal,
  })
  const { access_token, refresh_token, scope, expires_in } = await jsonOf<TokenResponse>(response)
  return { access_token, ...(refresh_token && { refresh_token }), scope, expires_at: begunMs + expires_in * 1_000 }
}
