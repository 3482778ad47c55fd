import { Refusal } from '../io.ts'
import { type KeptLogin, readLogins, writeLogins } from './login-file.ts'
import { withLoginLock } from './login-lock.ts'
import { OAuthCalls } from './oauth-calls.ts'

/** An access token is renewed so long before its end. */
const MARGIN_MS = 60_000

/** A login at one service, as a command uses it: with an access token that lives, however long the command runs. */
export class UsedLogin {
  readonly url: string
  readonly #folder: string
  #login: KeptLogin

  private constructor(folder: string, url: string, login: KeptLogin) {
    this.#folder = folder
    this.url = url
    this.#login = login
  }

  /** The login at a service, or where none is named at the one that was logged in to last; undefined where there is none. */
  static find(folder: string, url: string | undefined): UsedLogin | undefined {
    const { current, logins } = readLogins(folder)
    const at = url === undefined ? current : new URL(url).origin
    const login = at === null ? undefined : logins[at]
    return login && at !== null ? new UsedLogin(folder, at, login) : undefined
  }

  /** The application that was let in. */
  get clientId(): string {
    return this.#login.client_id
  }

  get username(): string | null {
    return this.#login.username
  }

  get isOver(): boolean {
    return Date.parse(this.#login.expires_at) - Date.now() < MARGIN_MS
  }

  /** A token that lives for a minute at least. Throws `Refusal` when the login has ended, and throws when `stopping` aborts. */
  async accessToken(stopping?: AbortSignal): Promise<string> {
    if (this.isOver) await withLoginLock(this.#folder, () => this.#renew(stopping), stopping)
    return this.#login.access_token
  }

  /** Under the lock, where somebody else may have renewed it. The new refresh token is kept before anything is done with the access token. */
  async #renew(stopping: AbortSignal | undefined): Promise<void> {
    const kept = readLogins(this.#folder)
    const login = kept.logins[this.url]
    if (!login) throw ended()
    this.#login = login
    if (!this.isOver) return
    const { client_id: clientId, refresh_token: token } = login
    const tokens = await new OAuthCalls(this.url, clientId).refresh(token, stopping).catch((error: unknown) => {
      throw error instanceof Refusal && error.problem.code === 'invalid_grant' ? ended() : error
    })
    this.#login = { ...login, ...tokens }
    writeLogins(this.#folder, { ...kept, logins: { ...kept.logins, [this.url]: this.#login } })
  }
}

const ended = () =>
  new Refusal({ code: 'login_ended', message: 'This login has ended. Log in again: npx developer-api login' })
