import { type OutcomeName, outcomes } from './outcome.tsx'

export type LedgerFilters = { outcome?: OutcomeName; type?: string; from?: string; to?: string }

/** Their names in an address. */
export const filterNames = ['outcome', 'type', 'from', 'to']

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

/** An instant in an address; undefined for what is none. Without a zone it is local time. */
export function instantOf(text: string | null): string | undefined {
  const at = new Date(text ?? '')
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
