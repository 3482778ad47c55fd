/** What the service answered in place of a success: `code` is for programs and does not change, `message` is for people. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly code: string
  readonly status: number
  /** The number of the request: tell it to us when you ask for help. */
  readonly requestId: string | undefined
  /** How many seconds to wait, where the answer said so. */
  readonly retryAfterS: number | undefined

  constructor({ code, message, status, requestId, retryAfterS }: Failure) {
    super(message)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfterS = retryAfterS
  }
}

export type Failure = {
  code: string
  message: string
  status: number
  requestId?: string | undefined
  retryAfterS?: number | undefined
}

/** 400: the request has to be changed; the message names the field. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}
/** 401: the credential is missing, wrong, expired or revoked. */
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError'
}
/** The refresh token is used up, expired or revoked: whoever gave it has to log in again. */
export class LoginRequiredError extends ApiError {
  override readonly name = 'LoginRequiredError'
}
/** 403: the credential is good and does not allow this; the message names a scope that is missing. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
}
/** 404: there is nothing of this name. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}
/** 409: it is so already. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}
/** 410: events behind this cursor are not kept any more; the message says the oldest that can be had. */
export class CursorExpiredError extends ApiError {
  override readonly name = 'CursorExpiredError'
}
/** 429, after all tries: `retryAfterS` says when. */
export class RateLimitedError extends ApiError {
  override readonly name = 'RateLimitedError'
}
/** 5xx, after all tries. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

/** Nobody answered, after all tries. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** A webhook that is not ours, is too old, or was changed on its way. Answer it with 400. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError'
}

const classes: Record<number, typeof ApiError> = {
  400: InvalidRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: CursorExpiredError,
  429: RateLimitedError,
}

/** The error that an answer is: the class says the status. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { error = {} } = await bodyOf(response)
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const failure = {
    code: error.code ?? 'unknown',
    message: error.message ?? `The service answered with ${response.status}.`,
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterS: Number.isFinite(seconds) ? seconds : undefined,
  }
  const Class = classes[response.status] ?? (response.status >= 500 ? ServerError : ApiError)
  return new Class(failure)
}

/** A proxy in between may answer with anything. */
async function bodyOf(response: Response): Promise<{ error?: { code?: string; message?: string } }> {
  try {
    const body = (await response.json()) as { error?: unknown } | null
    return typeof body?.error === 'object' && body.error !== null ? { error: body.error } : {}
  } catch {
    return {}
  }
}
