import * as z from 'zod'
import { Timestamp } from '../../core/timestamp.ts'

/** A subscription with its health, as its owner sees it in the console. */
export const SubscriptionDetails = z.object({
  id: z.string(),
  application_id: z.string(),
  user_id: z.string().nullable(),
  url: z.string(),
  event_types: z.array(z.string()),
  description: z.string().nullable(),
  status: z.string(),
  created_at: Timestamp,
  disabled_reason: z.string().nullable(),
  disabled_at: Timestamp.nullable(),
  failing_since: Timestamp.nullable(),
  failed_attempts: z.number(),
  last_success_at: Timestamp.nullable(),
  /** No attempt is made before this time: the breaker is open, or the receiver asked to wait. */
  resting_until: Timestamp.nullable(),
  /** When the next attempt is made; null while nothing waits, and of a disabled one. */
  next_attempt_at: Timestamp.nullable(),
  /** How long its attempts took lately; null before the first. */
  attempt_ms: z.number().nullable(),
  /** For how many days no attempt has succeeded; shown from the first day on. */
  warning_days: z.number().nullable(),
  /** From this time on a failed attempt disables it, if it is at least the 20th; shown from the first day on. */
  disables_at: Timestamp.nullable(),
})

/** A valid signing secret, by name and without its text. */
export const SecretInfo = z.object({ id: z.string(), created_at: Timestamp, expires_at: Timestamp.nullable() })

export type SubscriptionDetails = z.output<typeof SubscriptionDetails>
export type SecretInfo = z.output<typeof SecretInfo>
