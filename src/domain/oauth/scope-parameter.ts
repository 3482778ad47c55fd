import { Problem } from '../core/problem.ts'
import { isScope, type Scope } from '../core/scopes.ts'
import type { Parameter } from './parameters.ts'

export const scopeParameter: Parameter = {
  description: 'Scopes with spaces between; all that is possible when left out.',
}

/**
 * The scopes that a `scope` parameter asks for, each once; all of `allowed` when it is omitted. Throws `invalid_scope` for
 * one that is unknown or not among them. The separator is exactly one space (RFC 6749, section 3.3).
 */
export function scopesWithin(scope: string | undefined, allowed: readonly Scope[]): Scope[] {
  const wanted = scope === undefined ? [...allowed] : parseScope(scope)
  if (wanted?.every((one) => allowed.includes(one)) && wanted.length > 0) return wanted
  throw refusedScope()
}

export const refusedScope = () =>
  new Problem('invalid_scope', 'scope: is malformed, unknown, or more than this client may ask for.')

/** What a `scope` parameter names; undefined when some of it is no scope of ours. */
export function parseScope(scope: string): Scope[] | undefined {
  const names = [...new Set(scope.split(' '))]
  return names.every(isScope) ? names : undefined
}
