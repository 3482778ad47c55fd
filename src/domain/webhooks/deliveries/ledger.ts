import { readUpToDate } from '../../../db/replica.ts'
import { instantText, statement } from '../../../db/statement.ts'
import type { ActorContext } from '../../core/context.ts'
import { isId, lowerBound } from '../../core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../../core/paging.ts'
import { Problem } from '../../core/problem.ts'
import { requireSubscription } from '../subscriptions/ownership.ts'
import { parseTime } from '../subscriptions/time-field.ts'
import type { AttemptInfo, Delivery, DeliveryDetails } from './resources.ts'

export type DeliveryFilter = PageRequest & {
  subscription: string
  outcome?: Delivery['outcome'] | undefined
  type?: string | undefined
  /** RFC 3339: when the event happened. */
  from?: string | undefined
  to?: string | undefined
}

const AFTER_ALL = 'dlv~' // sorts behind every identifier of a delivery

const pending = `select id, event_id, type, subscription_id, 'pending' as outcome, null as reason, attempts,
    ${instantText('created_at')} as created_at, null as finished_at, ${instantText('due_at')} as due_at
  from webhook_deliveries`
const done = `select id, event_id, type, subscription_id, outcome, reason, attempts,
    ${instantText('created_at')} as created_at, ${instantText('finished_at')} as finished_at, null as due_at
  from webhook_deliveries_done`
const isWanted = `subscription_id = $1 and id < $2 and id >= $3 and ($4::text is null or type = $4)
    order by id desc limit 101`

type Values = [
  subscription: string,
  before: string,
  from: string,
  type: string | null,
  outcome: string | null,
  limit: number,
]

const selectDeliveries = statement<Values, Delivery>(`
select * from (
  (${pending} where ($5::text is null or $5 = 'pending') and ${isWanted})
  union all (${done} where ($5::text is null or outcome = $5) and ${isWanted})
) deliveries order by id desc limit $6::int`)

/** The deliveries of one of the caller's subscriptions, newest first. Throws `subscription_not_found`. */
export async function listDeliveries(ctx: ActorContext, filter: DeliveryFilter): Promise<Page<Delivery>> {
  const { subscription, outcome = null, type = null, limit, cursor } = filter
  const { id } = await requireSubscription(ctx, subscription)
  const list = `deliveries ${id}`
  const [after] = decodeCursor(ctx, list, cursor) ?? []
  const before = after ?? boundOf('to', filter.to) ?? AFTER_ALL
  const from = boundOf('from', filter.from) ?? ''
  const rows = await readUpToDate(ctx, (db) => selectDeliveries(db, id, before, from, type, outcome, limit + 1))
  return toPage(ctx, list, rows, limit, (row) => [row.id])
}

function boundOf(field: string, text: string | undefined): string | undefined {
  const time = parseTime(field, text)
  return time === undefined ? undefined : lowerBound('delivery', new Date(time))
}

const selectDelivery = statement<[id: string], Delivery>(`
select * from ((${pending} where id = $1) union all (${done} where id = $1)) deliveries limit 1`)

const selectAttempts = statement<[deliveryId: string], AttemptInfo>(`
select n, ${instantText('started_at')} as started_at, duration_ms, status, error_class, detail, response
from webhook_attempts where delivery_id = $1 order by n`)

const selectPayload = statement<[eventId: string], { payload: string }>('select payload from events where id = $1')

/** One delivery with what was sent and every attempt; `payload` is null once its event is gone. Throws `not_found`. */
export async function getDelivery(ctx: ActorContext, { id }: { id: string }): Promise<DeliveryDetails> {
  const delivery = await requireDelivery(ctx, id)
  const [attempts, [event]] = await readUpToDate(ctx, (db) =>
    Promise.all([selectAttempts(db, id), selectPayload(db, delivery.event_id)]),
  )
  return { ...delivery, payload: event?.payload ?? null, attempts_made: attempts }
}

/** A delivery of one of the caller's subscriptions. Throws `not_found`. */
export async function requireDelivery(ctx: ActorContext, id: string): Promise<Delivery> {
  const [found] = isId('delivery', id) ? await selectDelivery(ctx.slow, id) : []
  const isTheirs = found && (await requireSubscription(ctx, found.subscription_id).catch(unlessProblem))
  if (!isTheirs) throw new Problem('not_found', 'You have no delivery with this identifier.')
  return found
}

function unlessProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}
