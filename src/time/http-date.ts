const TIME = '(?<time>\\d{2}:\\d{2}:\\d{2})'
const MONTH = '(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const ZONE = '(?:GMT|UTC|[+-]0000)'

/** RFC 9110, section 5.6.7: the form of today, that of RFC 850, and that of C's `asctime`, which names no zone. */
const forms = [
  `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d{1,2}) ${MONTH} (?<year>\\d{4}) ${TIME} ${ZONE}`,
  `(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} ${ZONE}`,
  `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} {1,2}(?<day>\\d{1,2}) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`))

/**
 * Milliseconds since 1970 of an HTTP date, which is UTC in all its forms; NaN for any other text. `Date.parse` alone takes far
 * more for a date, and reads what names no zone as the zone of this machine.
 */
export function httpDate(text: string, nowMs: number): number {
  const groups = forms.map((form) => form.exec(text)?.groups).find((found) => found !== undefined)
  if (!groups) return Number.NaN
  const { day, month, year = '', time } = groups
  const at = (fullYear: number) => Date.parse(`${day} ${month} ${fullYear} ${time} GMT`)
  if (year.length === 4) return at(Number(year))
  const century = Math.floor(new Date(nowMs).getUTCFullYear() / 100) * 100
  const near = at(century + Number(year))
  return near > nowMs + FIFTY_YEARS_MS ? at(century - 100 + Number(year)) : near
}

/** A year of two digits that seems to be further ahead than this is the last one that ended so. */
const FIFTY_YEARS_MS = 50 * 365.25 * 24 * 3_600_000
