import { and, desc, eq, isNull } from 'drizzle-orm'
import { readUpToDate } from '../../../db/replica.ts'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { instantText, statement } from '../../../db/statement.ts'
import { DAY_MS } from '../../../time/durations.ts'
import type { ActorContext } from '../../core/context.ts'
import { createdAtOf, isId, type Kind, lowerBound } from '../../core/ids.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest, toPage } from '../../core/paging.ts'
import { Problem } from '../../core/problem.ts'
import { readInTurn, takeTurn } from '../../core/turns/take-turn.ts'
import { isDeveloped, ownerAsked, reaches, requireSubscription } from '../subscriptions/ownership.ts'
import { withoutQuery } from '../subscriptions/shown-url.ts'
import { parseTime } from '../subscriptions/time-field.ts'
import { besideDelivery, deliveryColumns, doneRow, pendingRow, walkDeliveries } from './ledger-walk.ts'
import { eventsOfMessage } from './message-events.ts'
import type { AttemptInfo, Delivery, DeliveryDetails } from './resources.ts'

export type DeliveryFilter = PageRequest & {
  /** By default all that the caller reaches, or all of the application. */
  subscription?: string | undefined
  application_id?: string | undefined
  outcome?: Delivery['outcome'] | undefined
  type?: string | undefined
  /** Identifiers of the event, and of the chat message that it tells of. */
  event?: string | undefined
  message?: string | undefined
  /** Of the last attempt: `500`, `5xx`, or `none` where there was no answer. */
  status?: string | undefined
  /** In what was sent, or in what came back. */
  text?: string | undefined
  /** RFC 3339: when the event happened. */
  from?: string | undefined
  to?: string | undefined
}
/** `looked_back_to`: where the time for one page was over; the next page goes on there. Null otherwise. */
export type DeliveryPage = Page<Delivery> & { looked_back_to: string | null }

/** Everything older is gone with its partition. */
const KEPT_MS = 36 * DAY_MS
const AHEAD_MS = DAY_MS // the clocks of two machines may differ
/** Of more than these the newest are looked at. */
const SUBSCRIPTIONS_MAX = 10_000

/**
 * Deliveries to subscriptions that the caller reaches, newest first. A page may be short, and lead on: what a filter leaves out
 * is looked through for less than a second. Throws `subscription_not_found`, `invalid_request`, `invalid_cursor`.
 */
export async function listDeliveries(ctx: ActorContext, filter: DeliveryFilter): Promise<DeliveryPage> {
  const { outcome = null, type = null, status, text = null, limit, cursor } = filter
  const list = `deliveries ${filter.subscription ?? filter.application_id ?? ''}`
  const [after] = decodeCursor(ctx, list, cursor) ?? []
  const now = ctx.now().getTime()
  const asked = {
    before: after ?? boundOf('to', filter.to) ?? lowerBound('delivery', new Date(now + AHEAD_MS)),
    from: boundOf('from', filter.from) ?? lowerBound('delivery', new Date(now - KEPT_MS)),
    status: status?.replace('xx', '__') ?? null,
    ...{ type, outcome, text },
  }
  const walk = async () => {
    const subscriptions = await subscriptionsAsked(ctx, filter)
    const events = await eventsAsked(ctx, filter)
    return readUpToDate(ctx, (db) => walkDeliveries(db, { ...asked, subscriptions, events }, limit + 1))
  }
  const { rows, reached } = await takeTurn(ctx, walk, { owner: await ownerAsked(ctx, filter) })
  const page = toPage(ctx, list, rows, limit, (row) => [row.id])
  if (reached === null || page.next !== null) return { ...page, looked_back_to: null }
  return { ...page, next: encodeCursor(ctx, list, [reached]), looked_back_to: createdAtOf(reached).toISOString() }
}

function boundOf(field: string, text: string | undefined): string | undefined {
  const time = parseTime(field, text)
  return time === undefined ? undefined : lowerBound('delivery', new Date(time))
}

/** One, or all that the caller reaches, or those of an application; of more than `max` the newest. To be called in a turn. Throws `subscription_not_found`. */
export async function subscriptionsAsked(
  ctx: ActorContext,
  { subscription, application_id: clientId }: Pick<DeliveryFilter, 'subscription' | 'application_id'>,
  max = SUBSCRIPTIONS_MAX,
): Promise<string[]> {
  if (subscription !== undefined) return [(await requireSubscription(ctx, subscription)).id]
  const isOfApplication = clientId === undefined ? undefined : eq(subscriptions.clientId, clientId)
  const rows = await ctx.slow
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(and(reaches(ctx), isNull(subscriptions.deletedAt), isOfApplication))
    .orderBy(desc(subscriptions.id))
    .limit(max)
  return rows.map(({ id }) => id)
}

/** Null when none are asked for. */
async function eventsAsked(ctx: ActorContext, { event, message }: DeliveryFilter): Promise<string[] | null> {
  if (event !== undefined) requireId('event', event)
  if (message === undefined) return event === undefined ? null : [event]
  requireId('message', message)
  const events = await eventsOfMessage(ctx, message)
  return event === undefined ? events : events.filter((id) => id === event)
}

function requireId(field: 'event' | 'message', id: string): void {
  if (!isId(field satisfies Kind, id)) throw new Problem('invalid_request', `${field}: is not the identifier of one.`)
}

const selectDelivery = statement<[id: string], Delivery>(`
select ${deliveryColumns} from (
  (select ${pendingRow} from webhook_deliveries where id = $1)
  union all (select ${doneRow} from webhook_deliveries_done where id = $1)
) d ${besideDelivery} limit 1`)

const selectAttempts = statement<[deliveryId: string], AttemptInfo>(`
select n, ${instantText('started_at')} as started_at, duration_ms, status, error_class, detail, request, response_headers, response
from webhook_attempts where delivery_id = $1 order by n`)

const selectPayload = statement<[eventId: string], { payload: string }>('select payload from events where id = $1')

/**
 * One delivery with what was sent and every attempt, without the query of its address for a viewer; `payload` is null once its event is
 * gone. Throws `not_found`.
 */
export async function getDelivery(ctx: ActorContext, { id }: { id: string }): Promise<DeliveryDetails> {
  const delivery = await requireDelivery(ctx, id)
  const [attempts, [event]] = await readInTurn(
    ctx,
    async (db) => [await selectAttempts(db, id), await selectPayload(db, delivery.event_id)] as const,
  )
  const shown = (await isDeveloped(ctx, delivery.subscription_id)) ? attempts : attempts.map(withoutQuery)
  return { ...delivery, payload: event?.payload ?? null, attempts_made: shown }
}

/** A delivery of one of the caller's subscriptions. Throws `not_found`. */
export async function requireDelivery(ctx: ActorContext, id: string): Promise<Delivery> {
  const [found] = isId('delivery', id) ? await takeTurn(ctx, () => selectDelivery(ctx.slow, id)) : []
  const isTheirs = found && (await requireSubscription(ctx, found.subscription_id).catch(unlessProblem))
  if (!isTheirs) throw new Problem('not_found', 'You have no delivery with this identifier.')
  return found
}

function unlessProblem(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code === 'forbidden') throw error
}
