import type { Scope } from './scopes.ts'

/** Every failure that a caller can see: its public code and the status it answers with. The one table of the service. */
export const problems = {
  invalid_request: 400,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_dpop_proof: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_cursor: 400,
  message_too_long: 400,
  invalid_url: 400,
  unknown_event_type: 400,
  cannot_ban_self: 400,
  limit_reached: 400,
  idempotency_mismatch: 400,
  unauthorized: 401,
  invalid_token: 401,
  invalid_client: 401,
  insufficient_scope: 403,
  user_token_required: 403,
  forbidden: 403,
  sender_banned: 403,
  unknown_room: 403,
  not_found: 404,
  channel_not_found: 404,
  category_not_found: 404,
  livestream_not_found: 404,
  message_not_found: 404,
  user_not_found: 404,
  subscription_not_found: 404,
  method_not_allowed: 405,
  already_banned: 409,
  already_live: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const

export type ProblemCode = keyof typeof problems

/** Facts beside the code and the message, from which an answer's headers are made. */
export type ProblemDetails = {
  /** The scopes of which the operation wants one. */
  scopes?: readonly Scope[]
  allow?: readonly string[]
  /** Whole seconds until another try can succeed. */
  retryAfterS?: number
  /** The scheme of the challenge: what the caller tried (RFC 6749, section 5.2), or has to (RFC 9449, section 7.1). */
  scheme?: 'Bearer' | 'Basic' | 'DPoP'
}

/** A mistake of the caller, or a state it must know of. The message names what is wrong and never carries a secret. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly details: ProblemDetails

  constructor(code: ProblemCode, message: string, { cause, ...details }: ProblemDetails & ErrorOptions = {}) {
    super(message, { cause })
    this.code = code
    this.details = details
  }

  get status() {
    return problems[this.code]
  }
}
