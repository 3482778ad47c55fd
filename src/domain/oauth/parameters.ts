import { Problem } from '../core/problem.ts'

/** The value of a parameter that a grant cannot do without. Throws `invalid_request` that names it. */
export function requireParameter(name: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new Problem('invalid_request', `${name}: is required.`)
}

/** RFC 6749, section 3.1: a parameter without a value counts as omitted. */
export function omitEmpty(fields: Record<string, string | undefined>): Record<string, string | undefined> {
  const given: Record<string, string | undefined> = {}
  for (const name in fields) if (fields[name] !== '') given[name] = fields[name]
  return given
}
