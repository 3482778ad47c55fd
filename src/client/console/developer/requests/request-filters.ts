import { instantOf } from '../../components/filters/address-instant.ts'

export const statuses = {
  failed: 'All that failed',
  '4xx': '4xx: refused',
  '5xx': '5xx: our failure',
  '2xx': '2xx: answered',
} as const
type StatusChoice = keyof typeof statuses

type RequestFilters = {
  status?: StatusChoice | number
  code?: string
  operation?: string
  credential_id?: string
  text?: string
  from?: string
  to?: string
}

/** Their names in an address. */
export const requestFilterNames = ['status', 'code', 'operation', 'key', 'text', 'from', 'to']

const isChoice = (value: string): value is StatusChoice => value in statuses

/** The filters in an address. Values that are not valid are left out. */
export function readRequestFilters(search: URLSearchParams): RequestFilters {
  const [status, from, to] = [
    statusOf(search.get('status')),
    instantOf(search.get('from')),
    instantOf(search.get('to')),
  ]
  const [code, operation] = [search.get('code'), search.get('operation')]
  const [credential_id, text] = [search.get('key'), search.get('text')?.trim()]
  return {
    ...(status !== undefined && { status }),
    ...(code && { code }),
    ...(operation && { operation }),
    ...(credential_id && { credential_id }),
    ...(text && { text }),
    ...(from && { from }),
    ...(to && { to }),
  }
}

function statusOf(text: string | null): StatusChoice | number | undefined {
  if (text === null) return undefined
  if (isChoice(text)) return text
  return /^[1-9]\d\d$/.test(text) ? Number(text) : undefined
}

/** The address of an application's log with these filters. */
export function requestLogAddress(applicationId: string, filters: Record<string, string> = {}): string {
  const search = new URLSearchParams(filters).toString()
  return `/developer/applications/${applicationId}/requests${search && `?${search}`}`
}

/** The page that explains a request. */
export const explanationAddress = (requestId: string): string => `/developer/requests/${encodeURIComponent(requestId)}`
