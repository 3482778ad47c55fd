import type { TRPCError } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import * as z from 'zod'
import { databaseProblem, isOutage } from '../domain/core/database-problem.ts'
import { Problem, type ProblemCode } from '../domain/core/problem.ts'
import { CALL_BATCH_MAX } from '../shared/limits.ts'

/** What tRPC itself refuses on /trpc, in our codes and words. */
const refusals: Partial<Record<TRPCError['code'], [code: ProblemCode, message: string]>> = {
  BAD_REQUEST: [
    'invalid_request',
    `A batch has at most ${CALL_BATCH_MAX} calls, all of them queries or all of them mutations, and an object with the input of each by its number.`,
  ],
  PARSE_ERROR: ['invalid_request', 'input: is not JSON.'],
  NOT_FOUND: ['not_found', 'There is no procedure of this name: look at what stands behind /trpc/.'],
  METHOD_NOT_SUPPORTED: ['method_not_allowed', 'Queries and subscriptions are called by GET, mutations by POST.'],
  PAYLOAD_TOO_LARGE: ['payload_too_large', 'The body is larger than what /trpc takes.'],
  UNSUPPORTED_MEDIA_TYPE: ['unsupported_media_type', 'Content-Type: must be application/json.'],
}

/** tRPC's name for each of our statuses, so that typed clients see the same failure in their own words. */
const trpcCodes = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  410: 'NOT_FOUND', // tRPC has no name for it
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
} as const satisfies Record<Problem['status'], TRPCError['code']>

/** A failed call as /trpc answers it. */
export type CallFailure = {
  message: string
  code: (typeof TRPC_ERROR_CODES_BY_KEY)[TRPCError['code']]
  data: {
    code: TRPCError['code']
    /** Which the status of the answer follows, so domain code never has to throw a TRPCError. */
    httpStatus: Problem['status']
    /** What REST shows. */
    problem: { code: ProblemCode; message: string }
  }
}

export function callFailureOf(error: TRPCError): CallFailure {
  const { code, message, status } = problemFrom(error)
  const name = trpcCodes[status]
  return {
    message,
    code: TRPC_ERROR_CODES_BY_KEY[name],
    data: { code: name, httpStatus: status, problem: { code, message } },
  }
}

/** What the caller may know of a failed call. Anything unforeseen becomes `internal_error` and nothing more. */
export function problemFrom({ code, cause }: TRPCError): Problem {
  if (cause instanceof Problem) return cause
  if (code === 'BAD_REQUEST' && cause instanceof z.core.$ZodError)
    return new Problem('invalid_request', describe(cause))
  const failure = cause && databaseProblem(cause)
  if (failure) return failure
  const isNoJson = code === 'BAD_REQUEST' && cause instanceof SyntaxError
  const [refusal, message] = refusals[isNoJson ? 'PARSE_ERROR' : code] ?? unforeseen
  return new Problem(refusal, message, refusal === 'internal_error' ? { cause } : {})
}

/**
 * Why a call failed, where that is ours to mend and so for the log; undefined for what a verb refuses on purpose, also because there is
 * no room, and for an outage of the database.
 */
export function faultOf(error: TRPCError): unknown {
  const problem = problemFrom(error)
  const cause = problem.cause ?? error.cause ?? error
  const isOurs = problem.status >= 500 && !(cause instanceof Problem) && !isOutage(cause)
  return isOurs ? cause : undefined
}

const unforeseen = [
  'internal_error',
  'Something went wrong on our side. Tell us the X-Request-Id of this answer.',
] as const

/** `room_name: is required` — the first wrong field, by its name, or the first that is missing where none is wrong. */
function describe({ issues }: z.core.$ZodError): string {
  const issue = issues.find(({ message }) => !MISSING.test(message)) ?? issues[0]
  if (issue === undefined) return 'The input is not valid.'
  const field = issue.path.join('.') || 'body'
  return `${field}: ${wordsOf(issue.message)}.`
}

const MISSING = /^Invalid input: expected (\w+), received undefined$/

/** What the library says where a schema has no words of its own. */
const rewordings: readonly (readonly [RegExp, string])[] = [
  [MISSING, 'is required ($1)'],
  [/^Invalid input: expected (\w+), received (\w+)$/, 'must be of type $1, not $2'],
  [/^Invalid (?:option: expected one of|input: expected) (".*)$/, 'must be $1'],
  [/^Too small: .*>=1 items$/, 'must have at least one item'],
  [/^Too small: .*>=1 characters$/, 'must not be empty'],
  [/^Too big: .*<=(\d+) characters$/, 'must have at most $1 characters'],
  [/^Too small: .*>=(-?\d+)$/, 'must be at least $1'],
  [/^Too big: .*<=(-?\d+)$/, 'must be at most $1'],
]

function wordsOf(message: string): string {
  const found = rewordings.find(([pattern]) => pattern.test(message))
  return found ? message.replace(...found).replaceAll('"|"', '", "') : message
}
