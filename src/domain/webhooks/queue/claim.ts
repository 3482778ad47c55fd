import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { transact } from '../../core/transaction.ts'
import { type File, files, type Pace, paces } from '../../events/receiver-pace.ts'
import { type ClaimedRow, claimRows } from './claim-rows.ts'
import { OWNER_IN_FLIGHT_MAX } from './owner-share.ts'

/** 0: first attempts and single redeliveries. 1: retries and replays. */
export type Lane = 0 | 1

export type Claimed = Omit<ClaimedRow, 'pace' | 'file' | 'owner_id'> & { pace: Pace }

/** The subscription behind which the next claim continues, and its owner, as that is the order. */
type Visited = { owner: string; subscription: string }
export const FIRST: Visited = { owner: '', subscription: '' }
/** Where the next claim continues in each file, so that all are served in turn. */
export type Cursor = Readonly<Record<File, Visited>>
export const beginning: Cursor = { fast: FIRST, unproven: FIRST, slow: FIRST, resting: FIRST }

export type ClaimRequest = {
  lane: Lane
  limit: number
  after?: Cursor
  /** What is looked through; by default all but what a pace without places has. */
  files?: readonly File[]
  /** How many subscriptions of each file are visited. */
  scan?: number
  perOwner?: number
  /**
   * How many of the rows may be for receivers of a pace; by default all. A process bounds those in its own slots, so no
   * receiver that is known to be fast waits for one that is not, however many processes there are. A pace with none costs
   * nothing.
   */
  places?: Partial<Record<Pace, number>>
}
export type Claim = {
  rows: Claimed[]
  next: Cursor
  /** The database's clock when the rows were claimed, in milliseconds since 1970. */
  databaseMs: number
}

type Scanned = Partial<Record<number, Visited & { visited: number }>>
type Asked = { limit: number; scan: number; after: Cursor; files: readonly File[] }

/** Also taken by whoever must know that no claim is half done (see delete.ts of the subscriptions). */
export const takeClaimLock = statement<[], unknown>(
  `select pg_advisory_xact_lock(hashtextextended('webhook claim', 0))`,
)

/**
 * Leases due deliveries of one lane to this caller, at most `limit`, fairly. The lock is a statement of its own in the same
 * transaction, so the snapshot of the second is taken after the wait for it: that makes the caps of subscriptions and
 * owners exact in the whole cluster.
 */
export async function claimDue(ctx: Context, request: ClaimRequest): Promise<Claim> {
  const { lane, limit, after = beginning, scan = Math.max(20, limit) } = request
  const { perOwner = OWNER_IN_FLIGHT_MAX, places = {} } = request
  const withPlaces = paces.filter((pace) => places[pace] !== 0)
  const asked = request.files ?? [...withPlaces, 'resting' as const]
  const look = [
    asked.map((file) => String(files.indexOf(file))),
    asked.map((file) => after[file].owner),
    asked.map((file) => after[file].subscription),
    withPlaces.map((pace) => String(paces.indexOf(pace))),
    withPlaces.map((pace) => String(places[pace] ?? limit)),
  ] as const
  const [, found] = await transact(ctx, ({ db }) =>
    // sent together, in one round trip: the server runs one after the other
    Promise.all([takeClaimLock(db), claimRows(db, lane, limit, ...look, scan, perOwner)]),
  )
  const rows = found.filter(isClaimed)
  const scanned: Scanned = JSON.parse(found[0]?.scanned ?? '{}')
  const next = (file: File) => nextAfter(file, rows, scanned, { limit, scan, after, files: asked })
  return {
    rows: rows.map(withPace),
    next: { fast: next('fast'), unproven: next('unproven'), slow: next('slow'), resting: next('resting') },
    databaseMs: found[0]?.database_ms ?? Number.NaN,
  }
}

const isClaimed = <Row extends { id: string | null }>(row: Row): row is Row & ClaimedRow => row.id !== null

function withPace({ pace, file: _, owner_id: __, ...row }: ClaimedRow): Claimed {
  return { ...row, pace: paces[pace] ?? 'unproven' }
}

/**
 * A claim that reached its limit continues behind the last subscription that it served, any other behind the last that it
 * visited: either rule alone would starve somebody. When the scan has reached the end, the next claim begins anew.
 */
function nextAfter(file: File, rows: ClaimedRow[], scanned: Scanned, asked: Asked): Visited {
  if (!asked.files.includes(file)) return asked.after[file]
  const number = files.indexOf(file)
  const seen = scanned[number]
  if (!seen) return FIRST
  if (rows.length < asked.limit) return seen.visited === asked.scan ? seen : FIRST
  const served = rows
    .filter((row) => row.file === number)
    .toSorted(inScanOrder)
    .at(-1)
  return served ? { owner: served.owner_id, subscription: served.subscription_id } : asked.after[file]
}

const inScanOrder = (a: ClaimedRow, b: ClaimedRow) =>
  compareText(a.owner_id, b.owner_id) || compareText(a.subscription_id, b.subscription_id)
const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b))
