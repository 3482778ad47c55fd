import { Problem } from './problem.ts'

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** The time that a field holds, which must be one of RFC 3339 with its offset. Throws `invalid_request`. */
export function parseInstant(field: string, text: string): Date {
  const [, year, month, day] = RFC_3339.exec(text) ?? []
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  if (isDay) return new Date(Date.parse(text))
  throw new Problem('invalid_request', `${field}: is not a time of RFC 3339, such as 2026-01-02T03:04:05Z.`)
}
