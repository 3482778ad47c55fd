const WRITTEN = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?$/

/**
 * The instant that somebody writes as `2026-03-03 14:05`, with or without seconds, or as a day, or with a zone as in RFC 3339.
 * Undefined when it is none. Without a zone of its own it is local time, or UTC where `isUtc`.
 */
export function instantOfText(text: string, isUtc: boolean): string | undefined {
  const bare = WRITTEN.exec(text.trim())
  const at = bare
    ? dateOf(
        bare.slice(1).map((part = '0') => Number(part)),
        isUtc,
      )
    : zoned(text.trim())
  return at === undefined || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

const zoned = (text: string) => (/^\d{4}-.*(Z|[+-]\d{2}:\d{2})$/i.test(text) ? new Date(text) : undefined)

/** Undefined for what the calendar does not have, as a 30th of February. */
function dateOf([year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0]: number[], isUtc: boolean) {
  const parts = [year, month - 1, date, hour, minute, second] as const
  const at = isUtc ? new Date(Date.UTC(...parts)) : new Date(...parts)
  const isAsWritten = isUtc
    ? at.getUTCDate() === date && at.getUTCMonth() === month - 1 && at.getUTCHours() === hour
    : at.getDate() === date && at.getMonth() === month - 1
  return isAsWritten && hour < 24 && minute < 60 && second < 60 ? at : undefined
}

/** How the field shows an instant: as it would be written. */
export function textOfInstant(at: string, isUtc: boolean): string {
  const date = new Date(at)
  const shown = isUtc ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  const [day, time = ''] = shown.toISOString().split('T')
  const [clock = ''] = time.split('.')
  return `${day} ${clock.endsWith(':00') ? clock.slice(0, 5) : clock}`
}
