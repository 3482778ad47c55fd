import { Problem } from '../../core/problem.ts'

/** The milliseconds since 1970 of a field that holds a time of RFC 3339, if it is given. Throws `invalid_request`. */
export function parseTime(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time) || time < 0) throw new Problem('invalid_request', `${field}: is not a time of RFC 3339.`)
  return time
}
