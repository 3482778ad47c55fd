import type { Database } from '../../../db/client.ts'
import { instantText, statement } from '../../../db/statement.ts'
import { createdAtOf, lowerBound } from '../../core/ids.ts'
import { urlToRead } from '../subscriptions/shown-url.ts'
import type { Delivery } from './resources.ts'

/** Which deliveries are looked for. What is null is not asked for. */
export type DeliveryConditions = {
  subscriptions: readonly string[]
  /** Identifiers of deliveries, whose first part is the time of their event: the newest are below `before`, none is below `from`. */
  before: string
  from: string
  type: string | null
  outcome: Delivery['outcome'] | null
  /** A pattern of SQL for the status of the last attempt; `none` for one that got no answer. */
  status: string | null
  /** In what was sent, or in what came back. */
  text: string | null
  events: readonly string[] | null
}
/** `reached`: how far was looked when the time was over; everything that fits above it is among the rows. */
export type Walked = { rows: Delivery[]; reached: string | null }

/** How many deliveries a statement looks at, so that its work is bounded whatever they are. */
const VISITED_MAX = 2_000
const WIDTH_FIRST_MS = 60_000
const WIDTH_MIN_MS = 1_000
const WIDER = 8
const WALK_MS = 700

/** SQL for a delivery as the ledger shows it, whose row `d` stands for, with the end of its last attempt and where it goes. */
export const deliveryColumns = `d.id, d.event_id, d.type, d.subscription_id, coalesce(${urlToRead('s.url')}, '') as subscription_url, d.outcome, d.reason,
  d.attempts, last.status as last_status, last.error_class as last_error_class, ${instantText('d.created_at')} as created_at,
  ${instantText('d.finished_at')} as finished_at, ${instantText('d.due_at')} as due_at`
export const besideDelivery = `
  left join lateral (select url from webhook_subscriptions where id = d.subscription_id limit 1) s on true
  left join lateral (
    select status, error_class from webhook_attempts where delivery_id = d.id order by n desc limit 1) last on true`

export const pendingRow = `id, event_id, type, subscription_id, 'pending' as outcome, null as reason, attempts, created_at,
    null::timestamptz as finished_at, due_at`
export const doneRow = `id, event_id, type, subscription_id, outcome, reason, attempts, created_at, finished_at,
    null::timestamptz as due_at`

type Values = [
  subscriptions: readonly string[],
  before: string,
  from: string,
  type: string | null,
  outcome: string | null,
  status: string | null,
  text: string | null,
  textInJson: string | null,
  events: readonly string[] | null,
  limit: number,
]
/** One row at least, also without a delivery: it tells how far the statement came. */
type Row = (Delivery | { id: null }) & { visited: number; last: string | null }

/** Every subscription is one range of an index, of finished ones the newest alone; `isFailed` has an index of its own. */
const visitRows = (isDone: string) =>
  statement<Values, Row>(`
with subscriptions as (
  select id from unnest($1::text[]) t (id)
), visited as materialized (
  select * from (
    select pending.* from subscriptions cross join (values (0), (1)) lanes (lane) cross join lateral (
      select ${pendingRow} from webhook_deliveries
      where lane = lanes.lane and subscription_id = subscriptions.id and id < $2 and id >= $3
        and coalesce($5::text, 'pending') = 'pending' offset 0 /* else it is joined, and the whole queue read */) pending
    union all
    select done.* from subscriptions cross join lateral (
      select ${doneRow} from webhook_deliveries_done
      where subscription_id = subscriptions.id and id < $2 and id >= $3 and ${isDone}
      order by id desc limit ${VISITED_MAX}) done
  ) both_kinds order by id desc limit ${VISITED_MAX}
), matching as (
  select * from visited v
  where ($4::text is null or type = $4) and ($5::text is null or outcome = $5)
    and ($9::text[] is null or event_id = any ($9::text[]))
    and ($6::text is null or (
      select coalesce(status::text, 'none') from webhook_attempts where delivery_id = v.id order by n desc limit 1) like $6)
    and ($7::text is null
      or (select strpos(lower(payload), lower($8::text)) from events where id = v.event_id limit 1) > 0
      or exists (select from webhook_attempts where delivery_id = v.id
        and strpos(lower(concat_ws(' ', response, response_headers, detail)), lower($7)) > 0))
  order by id desc limit $10::int
)
select ${deliveryColumns}, far.* from (select count(*)::int as visited, min(id) as last from visited) far
left join matching d on true ${besideDelivery} order by d.id desc`)

const visitAny = visitRows(`coalesce($5::text, '') <> 'pending'`)
const visitFailed = visitRows(`outcome = 'failed'`)

/** What is to be looked at next: below `high`, and about so much time of it. */
type Reach = { high: string; widthMs: number }
type Stretch = { low: string; high: string }

/**
 * Goes back through the deliveries of subscriptions, newest first, until there are `limit` that fit, or all that are kept were
 * looked at, or its time is over. The stretch of time that a statement looks at grows while there is little in it.
 */
export async function walkDeliveries(db: Database, asked: DeliveryConditions, limit: number): Promise<Walked> {
  const until = performance.now() + WALK_MS
  const rows: Delivery[] = []
  let reach: Reach = { high: asked.before, widthMs: WIDTH_FIRST_MS }
  while (rows.length < limit) {
    const stretch = stretchBelow(reach, asked)
    if (!stretch) break
    if (performance.now() > until) return { rows, reached: reach.high }
    const found = await visitStretch(db, asked, stretch, limit - rows.length)
    rows.push(...found.rows)
    reach = reachBehind(stretch, reach.widthMs, found.last)
  }
  return { rows, reached: null }
}

/** `last`: where a statement stopped that looked at as many as it may; null when it saw the whole stretch. */
async function visitStretch(db: Database, asked: DeliveryConditions, { low, high }: Stretch, limit: number) {
  const { subscriptions, type, outcome, status, text, events } = asked
  const visit = outcome === 'failed' ? visitFailed : visitAny
  const inJson = text === null ? null : JSON.stringify(text).slice(1, -1)
  const found = await visit(db, subscriptions, high, low, type, outcome, status, text, inJson, events, limit)
  const rows = found.filter(isDelivery).map(({ visited: _, last: __, ...delivery }) => delivery)
  return { rows, last: found[0]?.visited === VISITED_MAX ? found[0].last : null }
}

const isDelivery = (row: Row): row is Delivery & { visited: number; last: string | null } => row.id !== null

function reachBehind({ low }: Stretch, widthMs: number, last: string | null): Reach {
  if (last === null) return { high: low, widthMs: widthMs * WIDER }
  return { high: last, widthMs: Math.max(widthMs / WIDER, WIDTH_MIN_MS) }
}

/** Undefined when nothing is left that may fit. */
function stretchBelow({ high, widthMs }: Reach, { from, events }: DeliveryConditions): Stretch | undefined {
  const stretch = events ? momentBelow(high, events) : { low: earlier(high, widthMs), high }
  if (!stretch || stretch.high <= from) return undefined
  return stretch.low < from ? { ...stretch, low: from } : stretch
}

const earlier = (id: string, ms: number) =>
  lowerBound('delivery', new Date(Math.max(createdAtOf(id).getTime() - ms, 0)))

/** The next millisecond below `high` in which one of these events happened: its deliveries have identifiers of that time. */
function momentBelow(high: string, events: readonly string[]): Stretch | undefined {
  const moments = events.map((id) => lowerBound('delivery', createdAtOf(id)))
  const low = moments.toSorted().findLast((moment) => moment < high)
  if (low === undefined) return undefined
  const end = `${low}~`
  return { low, high: high < end ? high : end }
}
