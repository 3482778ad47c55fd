import { sql } from 'drizzle-orm'
import type { Count } from '../../../counters/counters.ts'
import { events, webhookAttempts, webhookDeliveriesDone } from '../../../db/schema/index.ts'
import { isSuccess } from '../../../shared/delivery.ts'
import type { ActorContext } from '../../core/context.ts'
import { newId } from '../../core/ids.ts'
import { countOrRefuse, rateLimits } from '../../core/rate-limits.ts'
import { transact } from '../../core/transaction.ts'
import { SAMPLE_SEQUENCE, sampleChannel, sampleEvent } from '../../events/sample-event.ts'
import type { EventType } from '../../events/types.ts'
import { createSender, sendAttempt, type WebhookRequest } from '../http/send.ts'
import { DatabaseClock } from '../queue/database-clock.ts'
import { endRest } from '../queue/hasten.ts'
import type { AttemptRecord } from '../queue/settlement.ts'
import { livingSecrets, OpenedSecrets } from '../secrets/secrets.ts'
import { requireActiveAccounts } from '../subscriptions/account-check.ts'
import { type OwnedSubscription, requireSubscription } from '../subscriptions/ownership.ts'
import type { AttemptInfo } from './resources.ts'

export type TestRequest = { id: string; type?: EventType | undefined }
export type TestResult = AttemptInfo & { delivery_id: string }

/**
 * Sends a sample of an event type to one subscription, whatever its types are and even while it is disabled. It is one
 * attempt, without retries and without effect on the subscription's health, but a success ends its rest. Returns the attempt. Throws
 * `subscription_not_found`, `forbidden` while its application or user is stopped, `rate_limited`.
 */
export async function testSubscription(
  ctx: ActorContext,
  { id, type = 'webhook.test' }: TestRequest,
): Promise<TestResult> {
  const subscription = await requireSubscription(ctx, id)
  await transact(ctx, (tx) => requireActiveAccounts(tx, subscription))
  await countOrRefuse(ctx, rateLimits.webhookTest, id, tooManyTests)
  const event = await storeSample(ctx, type)
  const record = await sendOnce(ctx, subscription, { event_id: event.id, type, payload: event.payload })
  const deliveryId = newId('delivery', ctx.now())
  await storeResult(ctx, { deliveryId, eventId: event.id, type, subscriptionId: id, record })
  ctx.wake() // a success has ended the rest of the subscription, if it had one
  const { startedMs, durationMs, status, errorClass, detail, request, responseHeaders, response } = record
  const sent = { started_at: new Date(startedMs).toISOString(), duration_ms: durationMs, request }
  const shown = { ...sent, status, detail, response_headers: responseHeaders, response }
  return { delivery_id: deliveryId, n: 1, ...shown, error_class: errorClass }
}

const tooManyTests = ({ limit, resetS }: Count) => `More than ${limit} tests in a minute: try again in ${resetS} s.`

async function storeSample({ db, now }: ActorContext, type: EventType) {
  const occurredAt = now()
  const { id, payload } = sampleEvent(type, occurredAt)
  await db
    .insert(events)
    .values({ id, channelId: sampleChannel.id, sequence: SAMPLE_SEQUENCE, type, occurredAt, payload })
  return { id, payload }
}

type Sample = { event_id: string; type: EventType; payload: string }

async function sendOnce(ctx: ActorContext, { id, url }: OwnedSubscription, sample: Sample): Promise<AttemptRecord> {
  const { event_id, type, payload } = sample
  const opened = new OpenedSecrets(ctx.keyring)
  const keys = (await livingSecrets(ctx, id)).map((secret) => opened.open(id, secret))
  const request: WebhookRequest = { delivery: { event_id, type, subscription_id: id, attempts: 0 }, url, payload, keys }
  const sender = createSender(ctx)
  try {
    const { record } = await sendAttempt(sender, request, await readClock(ctx), new AbortController().signal)
    return record
  } finally {
    await sender.transport.close()
  }
}

async function readClock({ db }: ActorContext): Promise<DatabaseClock> {
  const [row] = await db.execute<{ ms: number }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  )
  return new DatabaseClock(row?.ms ?? Number.NaN)
}

type Result = { deliveryId: string; eventId: string; type: string; subscriptionId: string; record: AttemptRecord }

async function storeResult(ctx: ActorContext, { deliveryId, eventId, type, subscriptionId, record }: Result) {
  const { startedMs, durationMs, ...answered } = record
  const startedAt = new Date(startedMs)
  const outcome = isSuccess(record.status) ? 'delivered' : 'failed'
  await transact(ctx, async ({ db }) => {
    await db.insert(webhookAttempts).values({ deliveryId, n: 1, startedAt, durationMs, ...answered })
    const ids = { id: deliveryId, eventId, subscriptionId, type }
    await db
      .insert(webhookDeliveriesDone)
      .values({ ...ids, outcome, reason: 'test', attempts: 1, createdAt: startedAt, finishedAt: startedAt })
    if (outcome === 'delivered') await endRest(db, subscriptionId)
  })
}
