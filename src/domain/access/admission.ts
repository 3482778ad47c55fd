import type { Count } from '../../counters/counters.ts'
import type { ActingSession, Principal, Reader, UserPrincipal } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import { Problem, type ProblemDetails } from '../core/problem.ts'
import { rateLimits, refuseExceeded } from '../core/rate-limits.ts'
import { noteClient, noteCredential } from '../core/request-record.ts'
import type { Scope } from '../core/scopes.ts'
import { authenticate, authenticateHolder, authenticateSession } from './authenticate.ts'
import { admitCron } from './cron-admission.ts'

/**
 * What a session has to have shown. `stepUp`: that its user has just proved who they are, for what a session left open must not
 * do; `enrolment`: nothing more than that it lives, also where everybody needs a second factor: by it one is set up.
 */
export type SessionNeed = 'stepUp' | 'enrolment'

/**
 * What may call where a login session is expected: a credential with `scope`, or `any`, that stands for an application, or by `anyone`
 * also one that stands for a user.
 */
type InPlaceOfSession = { scope: Scope | 'any'; by: 'application' | 'anyone' }

/**
 * What an operation asks of its caller. `scopes`: a credential with any one of them, by `user` one that stands for a user; by
 * `reader` also an overlay key, for which `admitReader` stands in for `admit`.
 * `session`: a login session, or what may stand in for one.
 * `cron`: the secret of the cron job.
 */
export type Access =
  | { kind: 'scopes'; scopes: readonly [Scope, ...Scope[]]; by: 'anyone' | 'user' | 'reader' }
  | { kind: 'session'; credential: InPlaceOfSession | undefined; needs: readonly SessionNeed[] }
  | { kind: 'cron' }

/** Any credential, of whose scopes `requireAccess` judges when it is known what for. */
type AnyAccess = { kind: 'any' }

/**
 * Decides whether a caller may pass, in this order: 401, 403 for the scope, 403 for the kind of credential, 429. The one
 * place of the service that decides it. Notes in the record of the request whose credential it was, and where that stands in
 * its rate limit, also when it refuses. No principal stands for the cron job.
 */
export async function admit(ctx: Context, access: Access | AnyAccess, caller: Caller): Promise<Principal | undefined> {
  if (access.kind === 'cron') return admitCron(ctx, caller)
  const { principal, key, isSession } = await identifyCaller(ctx, caller, access)
  noteClient(caller, principal.clientId)
  const refusal = refusalOf(ctx, access, { principal, isSession })
  const { counters } = ctx
  const rate = await (refusal ? counters.peek(rateLimits.credential, key) : counters.take(rateLimits.credential, key))
  noteCredential(caller, { clientId: principal.clientId, rate }, principal.credentialId)
  if (refusal) throw refusal
  refuseExceeded(rate, tooManyRequests)
  return principal
}

/** Judges whom `admit` has let in with any credential by what one operation asks. Throws `insufficient_scope`, `user_token_required`, `forbidden`. */
export function requireAccess(access: Access, principal: Principal): void {
  const refusal =
    access.kind === 'cron'
      ? new Problem('forbidden', 'This is for the cron job.')
      : credentialRefusalOf(access, principal)
  if (refusal) throw refusal
}

export const tooManyRequests = ({ limit, resetS }: Count) =>
  `More than ${limit} requests in a minute: try again in ${resetS} s.`

/** RFC 6750, section 2.1; RFC 9449, section 7.1. A header that holds anything else is a wrong credential, not a missing one. */
export function bearerOf(authorization: string) {
  const [, scheme = '', token] = /^(Bearer|DPoP) +(\S+)$/i.exec(authorization) ?? []
  if (token !== undefined) return { scheme, token }
  throw new Problem('invalid_token', 'Send the credential as "Authorization: Bearer <token>".')
}

async function identifyCaller(ctx: Context, caller: Caller, access: Access | AnyAccess) {
  const { authorization, session, sessionRefusal } = caller
  if (authorization !== undefined) {
    const { scheme, token } = bearerOf(authorization)
    const isDpop = scheme.toLowerCase() === 'dpop'
    const principal = isDpop ? await authenticateHolder(ctx, token, caller) : await authenticate(ctx, token, caller)
    requireResource(ctx, principal, caller)
    return { principal, key: token, isSession: false }
  }
  if (session !== undefined)
    return { principal: await authenticateSession(ctx, session), key: session, isSession: true }
  if (sessionRefusal) throw new Problem('unauthorized', sessionRefusal)
  throw new Problem('unauthorized', ...neededFor(access))
}

/** A token that was made for one resource is nothing at another (RFC 8707, section 2). */
function requireResource({ publicUrl }: Context, { resource }: Principal, { resource: called = '' }: Caller): void {
  if (resource === undefined || resource === called) return
  throw new Problem('invalid_token', `This token is good for ${publicUrl}${resource} alone.`)
}

/** Whoever sends no credential is told which one to get (RFC 6750, section 3). */
function neededFor(access: Access | AnyAccess): [message: string, details: ProblemDetails] {
  const how = 'send "Authorization: Bearer <token>".'
  if (access.kind !== 'scopes') return [`This operation needs a credential: ${how}`, {}]
  const { scopes, by } = access
  const whose = by === 'user' ? 'the token of a user' : 'a credential'
  return [`This operation needs ${whose} with the scope ${oneOf(scopes)}: ${how}`, { scopes }]
}

const oneOf = (scopes: readonly Scope[]) => scopes.map((scope) => `"${scope}"`).join(' or ')

type Identified = { principal: Principal; isSession: boolean }
type AskedOfCallers = Exclude<Access, { kind: 'cron' }> | AnyAccess

function refusalOf(ctx: Context, access: AskedOfCallers, { principal, isSession }: Identified): Problem | undefined {
  if (isSession) {
    const refusal = sessionRefusalOf(ctx, access, principal)
    if (refusal || access.kind === 'session') return refusal
  }
  return credentialRefusalOf(access, principal)
}

function credentialRefusalOf(access: AskedOfCallers, principal: Principal): Problem | undefined {
  if (access.kind === 'any') return undefined
  if (access.kind === 'session') return inPlaceOfSession(access.credential, principal)
  const { scopes, by } = access
  const refusal = scopeRefusalOf(scopes, principal)
  if (refusal) return refusal
  return by === 'user' && principal.kind !== 'user' ? userTokenRequired() : undefined
}

/** For a credential where a login session is expected. */
function inPlaceOfSession(wanted: InPlaceOfSession | undefined, principal: Principal): Problem | undefined {
  if (wanted === undefined || (wanted.by === 'application' && principal.kind !== 'application'))
    return new Problem('forbidden', 'This operation is for people who are signed in on the website.')
  return wanted.scope === 'any' ? undefined : scopeRefusalOf([wanted.scope], principal)
}

/** Nothing of this concerns tokens: an application acts by what it was given. */
function sessionRefusalOf(ctx: Context, access: AskedOfCallers, principal: Principal): Problem | undefined {
  const session = principal.kind === 'user' ? principal.session : undefined
  const needs = access.kind === 'session' ? access.needs : []
  if (ctx.secondFactor === 'all' && !needs.includes('enrolment') && !hasProvedFactor(session)) return factorRequired()
  return needs.includes('stepUp') && session?.isFresh !== true ? stepUpRequired() : undefined
}

/**
 * For what needs a step-up only by what is asked, as a change of where something is sent. Throws `step_up_required` for a login
 * session whose user has not just proved who they are; tokens act by what they were given.
 */
export function requireStepUp(principal: Principal): void {
  if (principal.kind === 'user' && principal.session?.isFresh === false) throw stepUpRequired()
}

const stepUpRequired = () =>
  new Problem('step_up_required', 'Confirm that it is you: your last login was more than ten minutes ago.')

type Proved = Pick<ActingSession, 'amr'>

/** Whether the user of a session has shown more than a password in it. */
const hasProvedFactor = (session: Proved | undefined): boolean =>
  session?.amr.some((method) => method !== 'pwd') === true

/** Whether the operator wants a second factor of `whom`, and none was shown in a session. */
export function lacksFactor(ctx: Context, session: Proved | undefined, whom: 'all' | 'developers'): boolean {
  const isWanted = ctx.secondFactor === 'all' || ctx.secondFactor === whom
  return isWanted && !hasProvedFactor(session)
}

/** Throws `second_factor_required` for a session in which none was shown, where the operator wants one of `whom`. */
export function requireProvedFactor(ctx: Context, session: Proved | undefined, whom: 'all' | 'developers'): void {
  if (lacksFactor(ctx, session, whom)) throw factorRequired()
}

const factorRequired = () =>
  new Problem(
    'second_factor_required',
    'You need a second factor here: set one up in the console, under Account → Security.',
  )

function scopeRefusalOf(scopes: readonly Scope[], principal: Principal): Problem | undefined {
  if (scopes.some((scope) => principal.scopes.includes(scope))) return undefined
  return new Problem('insufficient_scope', `This operation needs the scope ${oneOf(scopes)}.`, { scopes })
}

/** For whatever is not the feed. Throws `invalid_token` for an overlay key. */
export function asPrincipal(reader: Reader): Principal {
  if (reader.kind !== 'overlay') return reader
  throw new Problem('invalid_token', 'An overlay key is good for the feed alone.')
}

/** For what only a user can do. Throws `user_token_required`. */
export function asUser(principal: Principal): UserPrincipal {
  if (principal.kind === 'user') return principal
  throw userTokenRequired()
}

const userTokenRequired = () =>
  new Problem('user_token_required', 'This operation needs a token that stands for a user, not for an application.')
