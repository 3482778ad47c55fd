import { Problem } from '../core/problem.ts'
import { isApiScope, isScope, type Scope } from '../core/scopes.ts'
import type { Parameter } from './parameters.ts'

export const scopeParameter: Parameter = {
  description: 'Scopes with spaces between; all that is possible when left out.',
  example: 'channel:read chat:read',
}

/**
 * The scopes that a `scope` parameter asks for, each once; when it is omitted, all of `allowed` but those that tell who a person
 * is, which have to be named. Throws `invalid_scope` for one that is unknown or not among them.
 */
export function scopesWithin(scope: string | undefined, allowed: readonly Scope[]): Scope[] {
  const fault = faultOfScope(scope, allowed)
  if (fault !== undefined) throw new Problem('invalid_scope', fault)
  return scope === undefined ? allowed.filter(isApiScope) : (parseScope(scope) ?? [])
}

/** The same of what a grant allows: all of it when `scope` is omitted. */
export const scopesOfGrant = (scope: string | undefined, granted: readonly Scope[]): Scope[] =>
  scope === undefined && granted.length > 0 ? [...granted] : scopesWithin(scope, granted)

/**
 * Which scope of a `scope` parameter is refused, why, and which may be asked for; undefined when none is. Without quotes, for a
 * redirect and a challenge cannot hold any (RFC 6749, section 4.1.2.1).
 */
export function faultOfScope(scope: string | undefined, allowed: readonly Scope[]): string | undefined {
  if (allowed.length === 0) return 'scope: there is none that may be asked for.'
  if (scope === undefined && !allowed.some(isApiScope))
    return `scope: is required. Those that may be asked for: ${allowed.join(' ')}`
  const refused = scope?.split(' ').find((name) => !allowed.some((one) => one === name))
  return refused === undefined
    ? undefined
    : `scope: ${wordsFor(refused)} Those that may be asked for: ${allowed.join(' ')}`
}

/** The separator is exactly one space (RFC 6749, section 3.3). */
function wordsFor(name: string): string {
  if (name === '') return 'has a space too many.'
  if (isJoined(name)) return 'must have one space between two scopes, and nothing else.'
  const shown = name.slice(0, SHOWN_MAX).replace(/[^\x21\x23-\x5b\x5d-\x7e]/g, '?')
  return isScope(name) ? `${shown} is more than may be asked for here.` : `there is no scope ${shown}.`
}

const SHOWN_MAX = 50

/** Some libraries put a comma between scopes unless they are told otherwise. */
function isJoined(name: string): boolean {
  const [first = '', ...others] = name.slice(0, JOINED_MAX).split(/[,;+|\s]/)
  return others.length > 0 && isScope(first)
}

const JOINED_MAX = 500

/** What a `scope` parameter names; undefined when some of it is no scope of ours. */
export function parseScope(scope: string): Scope[] | undefined {
  const names = [...new Set(scope.split(' '))]
  return names.every(isScope) ? names : undefined
}
