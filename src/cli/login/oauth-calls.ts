import * as z from 'zod'
import { DEVICE_CODE_GRANT } from '../../shared/grants.ts'
import { LinkedController } from '../../time/linked-controller.ts'
import { Refusal } from '../io.ts'
import { unreachable } from '../remote-feed.ts'

const TIMEOUT_MS = 15_000

const DeviceCodes = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.number(),
  interval: z.number(),
})
const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
  scope: z.string(),
})
const Failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) })
const Me = z.object({ data: z.object({ username: z.string() }) })

/** Tokens as they came; `expires_at` by the clock of this machine. */
export type IssuedTokens = { access_token: string; refresh_token: string; scope: string; expires_at: string }

/**
 * Calls of a service as a public client. Each throws `Refusal` with what the service says, and when there is no answer, nor is
 * there one when `stopping` aborts.
 */
export class OAuthCalls {
  readonly #url: string
  readonly #clientId: string

  constructor(url: string, clientId: string) {
    this.#url = url
    this.#clientId = clientId
  }

  /** RFC 8628, section 3.1. */
  deviceCodes(scope: string | undefined) {
    return this.#post('/oauth/device_authorization', { ...(scope && { scope }) }, DeviceCodes)
  }

  /** RFC 8628, section 3.4. */
  byDeviceCode(code: string, stopping: AbortSignal): Promise<IssuedTokens> {
    return this.#tokens({ grant_type: DEVICE_CODE_GRANT, device_code: code }, stopping)
  }

  refresh(token: string, stopping?: AbortSignal): Promise<IssuedTokens> {
    return this.#tokens({ grant_type: 'refresh_token', refresh_token: token }, stopping)
  }

  /** RFC 7009: with the refresh token the whole grant ends. */
  async revoke(token: string, stopping?: AbortSignal): Promise<void> {
    await this.#post('/oauth/revoke', { token }, z.unknown(), stopping)
  }

  /** The name of whoever a token stands for; null where its scopes do not tell. */
  async username(token: string, stopping?: AbortSignal): Promise<string | null> {
    const { answer } = await this.#ask('/v1/users/me', { headers: { authorization: `Bearer ${token}` } }, stopping)
    return Me.safeParse(answer).data?.data.username ?? null
  }

  async #tokens(fields: Record<string, string>, stopping?: AbortSignal): Promise<IssuedTokens> {
    const asked = Date.now() // before the answer, so that the token is thought to end too early rather than too late
    const { expires_in: livesS, ...tokens } = await this.#post('/oauth/token', fields, Tokens, stopping)
    return { ...tokens, expires_at: new Date(asked + livesS * 1000).toISOString() }
  }

  async #post<Shape extends z.ZodType>(
    path: string,
    fields: Record<string, string>,
    shape: Shape,
    stopping?: AbortSignal,
  ) {
    const body = new URLSearchParams({ ...fields, client_id: this.#clientId })
    const { isOk, answer } = await this.#ask(path, { method: 'POST', body }, stopping)
    if (!isOk) throw new Refusal(Failure.safeParse(answer).data?.error ?? notOurs(this.#url))
    const { success, data } = shape.safeParse(answer)
    if (!success) throw new Refusal(notOurs(this.#url))
    return data
  }

  async #ask(path: string, init: RequestInit, stopping?: AbortSignal): Promise<{ isOk: boolean; answer: unknown }> {
    using ending = new LinkedController({ signal: stopping, ms: TIMEOUT_MS })
    try {
      const { signal } = ending
      const response = await fetch(new URL(path, this.#url), { ...init, redirect: 'manual', signal })
      return { isOk: response.ok, answer: parsed(await response.text()) }
    } catch (error) {
      throw new Refusal({ code: 'unreachable', message: unreachable(this.#url, error) })
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const notOurs = (url: string) => ({
  code: 'unreachable',
  message: `What answers at ${url} is not this service.`,
})
