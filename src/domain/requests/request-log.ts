import { isIP } from 'node:net'
import { MINUTE_MS } from '../../time/durations.ts'
import type { EndedRequest, RequestLog } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { networkOf, placeOf, siteOf } from '../core/rate-limits.ts'
import { requestLogMetrics } from './metrics.ts'
import { MinuteBudget, type RequestKind } from './minute-budget.ts'
import { type SentRequest, shownRequest, shownText } from './strike-out.ts'

/** How many rows may wait to be stored: some seconds of the busiest, or longer while the database is away. */
const WAITING_MAX = 5_000
/** Bounds the memory of the counts of what was not kept. */
const OMISSIONS_MAX = 20_000
const MESSAGE_LENGTH_MAX = 500
/** Status of a request whose client left before its answer: it was not refused anything. */
const CLIENT_GONE = 499

/** A request as it is stored. */
export type LoggedRow = {
  id: string
  clientId: string
  requestId: string
  operation: string
  status: number
  code: string | null
  message: string | null
  credentialId: string | null
  durationMs: number
  address: string | null
  sent: string | null
}
/** How many failed requests of an application in the minute that begins at `minuteMs` were not kept. */
type Omission = { clientId: string; minuteMs: number; failures: number }

/** What waits to be stored. */
export type LoggedBatch = { rows: LoggedRow[]; omissions: Omission[] }

/**
 * Requests of applications since the last write: every one that failed and a sample of the others, within bounds. Noting one is
 * cheap and never fails.
 */
export class RequestLogBuffer implements RequestLog {
  readonly #now: () => Date
  readonly #budget = new MinuteBudget()
  #rows: LoggedRow[] = []
  #omissions = new Map<string, Omission>()

  constructor(now: () => Date) {
    this.#now = now
  }

  note(request: EndedRequest, operation: string, status: number, durationMs: number): void {
    const clientId = request.credential?.clientId ?? request.clientId ?? request.claimedClientId
    if (!clientId) return
    const now = this.#now()
    const kind = {
      clientId,
      code: codeOf(request, status),
      origin: originOf(request),
      place: placeOf(request.address),
    }
    const reason = this.#refusalOf(now, kind)
    if (reason === undefined) {
      this.#rows.push(rowOf(request, { id: newId('request', now), clientId, operation, status, durationMs }))
    } else if (kind.code !== undefined) {
      requestLogMetrics.dropped[reason]++
      if (kind.origin !== 'unknown') this.#omit(clientId, now.getTime(), 1)
    }
  }

  #refusalOf(now: Date, kind: RequestKind): 'full' | 'bound' | undefined {
    if (this.#rows.length >= WAITING_MAX) return 'full'
    return this.#budget.take(now.getTime(), kind) ? undefined : 'bound'
  }

  /** Takes at most `rowsMax` rows, the oldest first, and all counts. */
  take(rowsMax: number): LoggedBatch {
    const omissions = [...this.#omissions.values()]
    this.#omissions = new Map()
    return { rows: this.#rows.splice(0, rowsMax), omissions }
  }

  /** Takes back what could not be stored; rows without a place are dropped. */
  putBack({ rows, omissions }: LoggedBatch): void {
    const kept = rows.slice(0, Math.max(WAITING_MAX - this.#rows.length, 0))
    requestLogMetrics.dropped.database += rows.length - kept.length
    this.#rows.unshift(...kept)
    for (const { clientId, minuteMs, failures } of omissions) this.#omit(clientId, minuteMs, failures)
  }

  #omit(clientId: string, atMs: number, failures: number) {
    const minuteMs = atMs - (atMs % MINUTE_MS)
    const name = `${minuteMs} ${clientId}`
    const known = this.#omissions.get(name)
    if (known) known.failures += failures
    else if (this.#omissions.size < OMISSIONS_MAX) this.#omissions.set(name, { clientId, minuteMs, failures })
  }
}

const isProven = ({ credential, credentialId }: EndedRequest) => credential !== undefined || credentialId !== undefined

function originOf(request: EndedRequest): RequestKind['origin'] {
  if (isProven(request)) return 'proven'
  return request.clientId !== undefined || request.isClaimKnown ? 'claimed' : 'unknown'
}

/** The code of a failure, or its status where it has none; undefined for what did not fail. */
const codeOf = ({ problem }: EndedRequest, status: number): string | undefined =>
  status >= 400 && status !== CLIENT_GONE ? (problem?.code ?? String(status)) : undefined

type KeptFacts = Pick<LoggedRow, 'id' | 'clientId' | 'operation' | 'status' | 'durationMs'>

/** Field by field: a spread takes V8 longer than all the rest. */
function rowOf(request: EndedRequest, { id, clientId, operation, status, durationMs }: KeptFacts): LoggedRow {
  const { problem } = request
  return {
    id,
    clientId,
    requestId: request.id,
    operation,
    status,
    code: problem?.code ?? null,
    message: problem ? shownText(problem.message, MESSAGE_LENGTH_MAX - 1).replaceAll('\0', '') : null,
    credentialId: request.credentialId ?? null,
    durationMs: Math.round(durationMs),
    address: addressOf(request),
    sent: problem ? shownRequest(operation, sentBy(request)) : null,
  }
}

/** Its path, its query and its body; a call at /trpc has its input alone. */
function sentBy({ url, body }: EndedRequest): SentRequest {
  if (url === undefined) return { body }
  const [path = '', search = ''] = url.split('?', 2)
  return {
    path: decoded(path),
    query: search === '' ? undefined : Object.fromEntries(new URLSearchParams(search)),
    body,
  }
}

function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path).replaceAll('\0', '')
  } catch {
    return path
  }
}

/**
 * The address from which an application called with a credential of its own. Who calls for a person, or proves nothing, may be
 * that person, whose address is not its developer's business: of theirs only the network is kept.
 */
function addressOf(request: EndedRequest): string | null {
  const address = request.address.replace(/%.*/, '') // PostgreSQL has no zones
  if (isIP(address) === 0) return null
  const isForPerson = request.credentialId?.startsWith('grt_') === true
  const network = networkOf(address)
  if (isProven(request) && !isForPerson) return isIP(network) ? network : address
  const site = siteOf(address)
  return site === undefined ? `${network.replace(/\d+$/, '0')}/24` : `${site}::/48`
}
