import { ApiError } from './errors.ts'
import type { IntrospectTokenResponse } from './generated/types.gen.ts'
import { jsonOf } from './pages.ts'
import { type Application, asClient, requestTokens, type Tokens } from './tokens.ts'
import { Transport, type TransportOptions } from './transport.ts'
import { wait } from './wait.ts'

export type LoginOptions = TransportOptions & Application

/** What is kept between sending somebody away and their return: in their session, never in an address. */
export type PendingLogin = { state: string; verifier: string; redirectUri: string }

type Begin = { redirectUri: string; scopes: readonly string[]; prompt?: 'consent' | 'none' | undefined }
type DeviceBegin = {
  scopes: readonly string[]
  /** Shows a person where to go and what to type there. */
  onCode: (shown: DeviceCode) => void | Promise<void>
  signal?: AbortSignal | undefined
}
export type DeviceCode = {
  userCode: string
  verificationUri: string
  verificationUriComplete: string | undefined
  expiresInS: number
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Logs people in: by a redirect (authorization code with PKCE), or by a code that they type on another device (RFC 8628). */
export class Login {
  readonly #transport: Transport
  readonly #application: Application

  constructor({ clientId, clientSecret, ...options }: LoginOptions) {
    this.#transport = new Transport(options)
    this.#application = { clientId, clientSecret }
  }

  /** Where to send a person, and what to keep until they return. */
  async begin({ redirectUri, scopes, prompt }: Begin): Promise<{ url: string; pending: PendingLogin }> {
    const [state, verifier] = [randomText(), randomText()]
    const url = this.#transport.urlOf('/oauth/authorize', {
      response_type: 'code',
      client_id: this.#application.clientId,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: await hashOf(verifier),
      code_challenge_method: 'S256',
      prompt,
    })
    return { url, pending: { state, verifier, redirectUri } }
  }

  /** The tokens of a person who returned to `url`. Throws when they refused, or when this is the answer to another login, or not that of this service (RFC 9207). */
  async finish(url: string | URL, { state, verifier, redirectUri }: PendingLogin): Promise<Tokens> {
    const { searchParams } = new URL(url, redirectUri)
    const [error, code, iss] = ['error', 'code', 'iss'].map((name) => searchParams.get(name))
    if (searchParams.get('state') !== state) throw refused('invalid_state', 'This is the answer to another login.')
    const { baseUrl } = this.#transport
    if (iss !== baseUrl)
      throw refused(
        'invalid_issuer',
        iss === null
          ? 'The answer does not say whose it is.'
          : `This is the answer of ${iss}, and not of ${baseUrl}: write baseUrl as your service does in /.well-known/oauth-authorization-server.`,
      )
    if (error) throw refused(error, searchParams.get('error_description') ?? error)
    if (!code) throw refused('invalid_request', 'The address has no code.')
    const body = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
    return requestTokens(this.#transport, { ...body, ...asClient(this.#application) }, { isOnce: true })
  }

  /** The tokens of a person who logs in on another device; resolves when they have allowed it. Throws `ApiError` when not. */
  async withDevice({ scopes, onCode, signal }: DeviceBegin): Promise<Tokens> {
    const response = await this.#transport.send({
      method: 'POST',
      path: '/oauth/device_authorization',
      body: { scope: scopes.join(' '), ...asClient(this.#application) },
      isOnce: true,
      signal,
    })
    const given = await jsonOf<DeviceAnswer>(response)
    await onCode({
      userCode: given.user_code,
      verificationUri: given.verification_uri,
      verificationUriComplete: given.verification_uri_complete,
      expiresInS: given.expires_in,
    })
    return this.#poll(given, signal)
  }

  /** Ends what a refresh token began: it, its access tokens, and the consent behind them. */
  async revoke(token: string): Promise<void> {
    const body = { token, ...asClient(this.#application) }
    await this.#transport.send({ method: 'POST', path: '/oauth/revoke', body })
  }

  /** Whether a token of this application lives, and what it is good for (RFC 7662). */
  async introspect(token: string): Promise<IntrospectTokenResponse> {
    const body = { token, ...asClient(this.#application) }
    return jsonOf(await this.#transport.send({ method: 'POST', path: '/oauth/introspect', body }))
  }

  async #poll(
    { device_code, interval = 5, expires_in }: DeviceAnswer,
    signal: AbortSignal | undefined,
  ): Promise<Tokens> {
    const endMs = Date.now() + expires_in * 1_000
    const body = { grant_type: DEVICE_GRANT, device_code, ...asClient(this.#application) }
    for (let everyS = interval; Date.now() < endMs; ) {
      await wait(everyS * 1_000, signal)
      const answer = await requestTokens(this.#transport, body, { signal }).catch(notYet)
      if (!(answer instanceof ApiError)) return answer
      if (answer.code === 'slow_down') everyS += 5
    }
    throw refused('expired_token', 'Nobody has typed the code in time.')
  }
}

/** What says to ask again later; throws everything else. */
function notYet(error: unknown): ApiError {
  if (error instanceof ApiError && ['slow_down', 'authorization_pending'].includes(error.code)) return error
  throw error
}

type DeviceAnswer = {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete?: string
  expires_in: number
  interval?: number
}

const refused = (code: string, message: string) => new ApiError({ code, message, status: 400 })

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
const hashOf = async (text: string) =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
