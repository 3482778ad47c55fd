import type { Context } from '../../core/context.ts'
import { apiVersion } from '../../core/version.ts'
import type { Claimed } from '../queue/claim.ts'
import type { DatabaseClock } from '../queue/database-clock.ts'
import type { AttemptResult } from '../queue/settlement.ts'
import { sign } from '../secrets/sign.ts'
import { detailOf } from './attempt-detail.ts'
import { AttemptFailure, classOf } from './attempt-failure.ts'
import { localResolver, publicResolver } from './dns.ts'
import type { ReceiverResponse } from './response.ts'
import { responseText } from './response-text.ts'
import { compileTargetPolicy, type TargetRules } from './target-policy.ts'
import { checkTargetUrl } from './target-url.ts'
import { createTransport, type Transport } from './transport.ts'

/** What one POST to a receiver is made of. */
export type WebhookRequest = {
  delivery: Pick<Claimed, 'event_id' | 'type' | 'subscription_id' | 'attempts'>
  url: string
  payload: string
  /** The signing keys that are valid now, the newest first. */
  keys: readonly Buffer[]
}
export type Sender = { rules: TargetRules; transport: Transport }

/** A sender that keeps to the operator's policy; to be closed by its `transport`. */
export function createSender({ targets }: Pick<Context, 'targets'>): Sender {
  const rules = compileTargetPolicy(targets)
  const resolve = targets.allowPrivate ? localResolver() : publicResolver()
  return { rules, transport: createTransport({ rules, resolve }) }
}

const nothing = { status: null, retryAfter: undefined, location: undefined, body: Buffer.alloc(0) }
const unsafe = new AttemptFailure('E_UNSAFE_URL', 'the URL may not be called')
const USER_AGENT = `developer-api-webhooks/${apiVersion}`

/** One attempt: a signed POST to the receiver. Needs no database, and never rejects. */
export async function sendAttempt(
  sender: Sender,
  request: WebhookRequest,
  clock: DatabaseClock,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const startedMs = clock.now()
  const begun = performance.now()
  const response = await post(sender, request, startedMs, signal)
  const { status, retryAfter, error, body } = response
  const errorClass = status === null ? classOf(error) : null
  const durationMs = Math.round(performance.now() - begun)
  const record = { startedMs, durationMs, status, errorClass, detail: detailOf(response), response: responseText(body) }
  return { record, retryAfter }
}

async function post(
  { rules, transport }: Sender,
  request: WebhookRequest,
  startedMs: number,
  signal: AbortSignal,
): Promise<ReceiverResponse> {
  const url = allowedUrl(rules, request.url)
  if (url === undefined) return { ...nothing, error: unsafe }
  const body = Buffer.from(request.payload)
  return transport.post({ url, headers: headersOf(request, body, Math.floor(startedMs / 1000)), body, signal })
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

/** Undefined when the URL is not allowed: the policy may have changed since the subscription was created. */
function allowedUrl(rules: TargetRules, url: string): URL | undefined {
  try {
    return checkTargetUrl(rules, url)
  } catch {
    return undefined
  }
}
