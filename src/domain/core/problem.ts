import type { Limit } from '../../counters/counters.ts'
import { problems } from './problem-table.ts'
import type { Scope } from './scopes.ts'

export type ProblemCode = keyof typeof problems

/** A limit of how many in a time, or, without a time, of how many at once. */
type ExceededLimit = Pick<Limit, 'name' | 'points'> & Partial<Pick<Limit, 'windowS'>>

/** Facts beside the code and the message, from which an answer's headers are made. */
export type ProblemDetails = {
  /** The scopes of which the operation wants one. */
  scopes?: readonly Scope[]
  allow?: readonly string[]
  /** What a body may be instead: its types, its codings (RFC 9110, section 15.5.16). */
  accept?: string
  acceptEncoding?: string
  /** Whole seconds until another try can succeed. */
  retryAfterS?: number
  /** The limit of which nothing remains, where it is another than that of the credential's requests. */
  exceeded?: ExceededLimit
  /**
   * The scheme of the challenge: the one that the caller tried (RFC 6749, section 5.2), or has to use (RFC 9449,
   * section 7.1).
   */
  scheme?: 'Bearer' | 'Basic' | 'DPoP'
}

/**
 * A mistake of the caller, or a state that it has to know about. The message names what is wrong and never holds a
 * secret.
 */
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
    return problems[this.code].status
  }
}
