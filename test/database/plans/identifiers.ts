import { idPrefixAt } from '../../../src/db/time-prefix.ts'
import { DAY_MS } from '../../../src/time/durations.ts'

export const DAYS = 3
const SPAN_MS = DAYS * DAY_MS

/** The nth identifier of a kind that was there before all else. */
export const first = (prefix: string, n: number) => idPrefixAt(prefix, new Date(0)) + String(n).padStart(16, '0')

/** SQL of the same. */
export const old = (prefix: string, n = 'n') => `make('${prefix}', ${n}, 0)`

/** Identifiers that are spread over the days before `endMs`, as those of the product are over time. */
export const identifiersUntil = (endMs: number) => ({
  /** The nth of `total` of a kind. */
  nth: (prefix: string, n: number, total: number) =>
    idPrefixAt(prefix, new Date(endMs - Math.floor((SPAN_MS * (total - n)) / total))) + String(n).padStart(16, '0'),
  /** SQL of the same. */
  spread: (prefix: string, total: number, n = 'n') =>
    `make('${prefix}', ${n}, ${endMs} - ${SPAN_MS}::bigint * (${total} - ${n}) / ${total})`,
})

const bits = (shift: number) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((at >> ${shift}) & 31)::int + 1, 1)`
/** Makes the function that these expressions call. */
export const MAKE = `create function make(prefix text, n bigint, at bigint) returns text language sql immutable as $$
  select prefix || '_' || ${Array.from({ length: 10 }, (_, i) => bits(45 - 5 * i)).join(' || ')} || lpad(n::text, 16, '0') $$`
