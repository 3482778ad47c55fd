import * as z from 'zod'

const Instant = z.string().meta({ format: 'date-time' })

/** A subscription as its owner sees it on our own pages: with its health. */
export const Webhook = z.object({
  id: z.string(),
  application_id: z.string(),
  user_id: z.string().nullable(),
  url: z.string(),
  event_types: z.array(z.string()),
  description: z.string().nullable(),
  status: z.string(),
  created_at: Instant,
  disabled_reason: z.string().nullable(),
  disabled_at: Instant.nullable(),
  failing_since: Instant.nullable(),
  failed_attempts: z.number(),
  last_success_at: Instant.nullable(),
  /** No attempt is made before it: the breaker is open, or the receiver asked to wait. */
  resting_until: Instant.nullable(),
  /** Since how many days no attempt has succeeded; shown from the first on, disabled at five. */
  warning_days: z.number().nullable(),
  /** From then on a failed attempt disables it, if it is at least the 20th; shown from the first day on. */
  disables_at: Instant.nullable(),
})

/** A living signing secret, without the secret. */
export const SecretInfo = z.object({ id: z.string(), created_at: Instant, expires_at: Instant.nullable() })

export const deliveryOutcomes = ['pending', 'delivered', 'failed', 'cancelled', 'held', 'expired'] as const

/** One event for one subscription. `pending`: in the queue, or resting until `due_at`. */
export const Delivery = z.object({
  id: z.string(),
  event_id: z.string(),
  type: z.string(),
  subscription_id: z.string(),
  outcome: z.enum(deliveryOutcomes),
  reason: z.string().nullable(),
  attempts: z.number(),
  created_at: Instant,
  finished_at: Instant.nullable(),
  due_at: Instant.nullable(),
})

/** One POST. `response` is the receiver's text: whoever shows it escapes it. */
export const AttemptInfo = z.object({
  n: z.number(),
  started_at: Instant,
  duration_ms: z.number(),
  status: z.number().nullable(),
  error_class: z.string().nullable(),
  response: z.string().nullable(),
})

export const DeliveryDetails = Delivery.extend({ payload: z.string().nullable(), attempts_made: z.array(AttemptInfo) })

/** The state of delivery as a whole, for everybody: a status page that is the truth. */
export const DeliveryStatus = z.object({
  due_lag_s: z.number(),
  publish_to_arrival_p50_s: z.number().nullable(),
  publish_to_arrival_p95_s: z.number().nullable(),
})

export type Webhook = z.output<typeof Webhook>
export type SecretInfo = z.output<typeof SecretInfo>
export type Delivery = z.output<typeof Delivery>
export type AttemptInfo = z.output<typeof AttemptInfo>
export type DeliveryDetails = z.output<typeof DeliveryDetails>
