import type { Context } from '../../core/context.ts'
import { apiVersion } from '../../core/version.ts'
import type { Claimed } from '../queue/claim.ts'
import type { DatabaseClock } from '../queue/database-clock.ts'
import type { AttemptResult } from '../queue/settlement.ts'
import { sign } from '../secrets/sign.ts'
import { AttemptFailure, classOf } from './attempt-failure.ts'
import { publicResolver, systemResolver } from './dns.ts'
import type { ReceiverResponse } from './response.ts'
import { responseText } from './response-text.ts'
import { createGuard, type TargetGuard } from './target-policy.ts'
import { checkTargetUrl } from './target-url.ts'
import { createTransport, type Transport } from './transport.ts'

/** Everything of one POST that is not the connection. */
export type WebhookRequest = {
  delivery: Pick<Claimed, 'event_id' | 'type' | 'subscription_id' | 'attempts'>
  url: string
  payload: string
  /** The living keys, the current one first. */
  keys: readonly Buffer[]
}
export type Sender = { guard: TargetGuard; transport: Transport }

/** Reaches receivers as the operator's policy says. */
export function createSender({ targets }: Pick<Context, 'targets'>): Sender {
  const guard = createGuard(targets)
  const resolve = targets.allowPrivate ? systemResolver : publicResolver()
  return { guard, transport: createTransport({ guard, resolve }) }
}

const unsafe = new AttemptFailure('E_UNSAFE_URL', 'the URL may not be called')
const USER_AGENT = `developer-api-webhooks/${apiVersion}`

/** One attempt: a signed POST to the receiver. Reads nothing, holds no transaction, and never rejects. */
export async function sendAttempt(
  sender: Sender,
  parcel: WebhookRequest,
  clock: DatabaseClock,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const startedMs = clock.now()
  const begun = performance.now()
  const answer = await post(sender, parcel, startedMs, signal)
  const { status, retryAfter, error } = answer
  const errorClass = status === null ? classOf(error) : null
  const durationMs = Math.round(performance.now() - begun)
  return { record: { startedMs, durationMs, status, errorClass, response: responseText(answer.body) }, retryAfter }
}

async function post(
  { guard, transport }: Sender,
  parcel: WebhookRequest,
  startedMs: number,
  signal: AbortSignal,
): Promise<ReceiverResponse> {
  const url = judged(guard, parcel.url)
  if (url === undefined) return { status: null, retryAfter: undefined, body: Buffer.alloc(0), error: unsafe }
  const body = Buffer.from(parcel.payload)
  return transport.post({ url, headers: headersOf(parcel, body, Math.floor(startedMs / 1000)), body, signal })
}

function headersOf({ delivery, keys }: WebhookRequest, body: Buffer, timestampS: number): string[] {
  const { event_id: id, type, subscription_id: subscriptionId, attempts } = delivery
  return [
    ...['content-type', 'application/json; charset=utf-8', 'accept-encoding', 'identity', 'user-agent', USER_AGENT],
    ...['webhook-id', id, 'webhook-timestamp', String(timestampS)],
    ...['webhook-signature', sign(keys, id, timestampS, body)],
    ...['x-event-type', type, 'x-subscription-id', subscriptionId, 'x-delivery-attempt', String(attempts + 1)],
  ]
}

/** The policy may have changed since the subscription was made. */
function judged(guard: TargetGuard, url: string): URL | undefined {
  try {
    return checkTargetUrl(guard, url)
  } catch {
    return undefined
  }
}
