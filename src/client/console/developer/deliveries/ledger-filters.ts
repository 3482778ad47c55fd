import { type OutcomeName, outcomes } from './outcome.tsx'

export type LedgerFilters = { outcome?: OutcomeName; type?: string; from?: string; to?: string }

const isOutcome = (value: string | null): value is OutcomeName => value !== null && value in outcomes

/** The filters in an address. Values that are not valid are left out. */
export function readFilters(search: URLSearchParams): LedgerFilters {
  const outcome = search.get('outcome')
  const type = search.get('type')
  const [from, to] = [instantOf(search.get('from')), instantOf(search.get('to'))]
  return {
    ...(isOutcome(outcome) && { outcome }),
    ...(type && { type }),
    ...(from && { from }),
    ...(to && { to }),
  }
}

/** The text of a `datetime-local` input, which is local time, as the instant that it means. */
export function instantOf(local: string | null): string | undefined {
  const at = new Date(local ?? '')
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
