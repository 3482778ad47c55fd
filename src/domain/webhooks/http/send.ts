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

const nothing = { status: null, retryAfter: undefined, location: undefined, headers: null, body: Buffer.alloc(0) }
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
  const { sent, response } = await post(sender, request, startedMs, signal)
  const { status, retryAfter, error, headers, body } = response
  const errorClass = status === null ? classOf(error) : null
  const durationMs = Math.round(performance.now() - begun)
  const answer = {
    status,
    errorClass,
    detail: detailOf(response),
    responseHeaders: headers,
    response: responseText(body),
  }
  return { record: { startedMs, durationMs, request: sent, ...answer }, retryAfter }
}

async function post(
  { rules, transport }: Sender,
  request: WebhookRequest,
  startedMs: number,
  signal: AbortSignal,
): Promise<{ sent: string | null; response: ReceiverResponse }> {
  const url = allowedUrl(rules, request.url)
  if (url === undefined) return { sent: null, response: { ...nothing, error: unsafe } }
  const body = Buffer.from(request.payload)
  const headers = headersOf(request, body, Math.floor(startedMs / 1000))
  return { sent: sentText(url, headers, body), response: await transport.post({ url, headers, body, signal }) }
}

/** The head of a request as it goes out, with what undici adds, and the whole address in its first line. */
function sentText({ href, host }: URL, headers: readonly string[], { length }: Buffer): string {
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []))
  return [`POST ${href}`, `host: ${host}`, 'connection: keep-alive', ...lines, `content-length: ${length}`].join('\n')
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
