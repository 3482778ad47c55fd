import { type OutcomeName, outcomes } from './outcome.tsx'

export type LedgerFilters = { outcome?: OutcomeName; type?: string; from?: string; to?: string }

const isOutcome = (value: string | null): value is OutcomeName => value !== null && value in outcomes

/** What an address asks for. What it says that nobody can ask for is left out. */
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
