import { instantOf } from '../../components/filters/address-instant.ts'
import { type OutcomeName, outcomes } from './outcomes.ts'

export type LedgerFilters = {
  application_id?: string
  subscription?: string
  outcome?: OutcomeName
  status?: string
  type?: string
  event?: string
  message?: string
  text?: string
  from?: string
  to?: string
}

/** What the last attempt got, as the service takes it, and in words. */
export const statuses: Record<string, string> = {
  '2xx': '2xx: accepted',
  '3xx': '3xx: a redirect',
  '4xx': '4xx: refused',
  '5xx': '5xx: its failure',
  none: 'No answer',
}

/** Their names in an address. */
export const filterNames = ['application', 'subscription', 'outcome', 'status', 'type', 'id', 'text', 'from', 'to']

const isOutcome = (value: string | null): value is OutcomeName => value !== null && value in outcomes
const isStatus = (value: string | null): value is string => value !== null && /^([1-5]\d\d|[1-5]xx|none)$/.test(value)

/** The filters in an address. Values that are not valid are left out. */
export function readFilters(search: URLSearchParams): LedgerFilters {
  const get = (name: string) => search.get(name)?.trim() || undefined
  const [outcome, status] = [search.get('outcome'), search.get('status')]
  const given = {
    application_id: get('application'),
    subscription: get('subscription'),
    outcome: isOutcome(outcome) ? outcome : undefined,
    status: isStatus(status) ? status : undefined,
    type: get('type'),
    ...identifierOf(get('id')),
    text: get('text'),
    from: instantOf(search.get('from')),
    to: instantOf(search.get('to')),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** One field for both: the identifier says what it names. */
function identifierOf(id: string | undefined): Pick<LedgerFilters, 'event' | 'message'> {
  if (id === undefined) return {}
  return id.startsWith('msg_') ? { message: id } : { event: id }
}
