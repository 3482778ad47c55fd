import * as z from 'zod'

export const Instant = z.string().meta({ format: 'date-time' })

/** A subscription with its health, as its owner sees it in the console. */
export const SubscriptionDetails = z.object({
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

export type SubscriptionDetails = z.output<typeof SubscriptionDetails>
export type SecretInfo = z.output<typeof SecretInfo>
