import * as z from 'zod'
import { Timestamp } from '../../core/timestamp.ts'

const ofApplication = { application_id: z.string(), application_name: z.string() }

/** A subscription that fails, is slow, or is disabled: what its receiver answered last, and when the next attempt is made. */
const TroubledSubscription = z.object({
  id: z.string(),
  ...ofApplication,
  url: z.string(),
  description: z.string().nullable(),
  status: z.enum(['enabled', 'disabled']),
  disabled_reason: z.string().nullable(),
  disabled_at: Timestamp.nullable(),
  failing_since: Timestamp.nullable(),
  failed_attempts: z.number(),
  /** As the details of a subscription have them: from the first day without a success on. */
  warning_days: z.number().nullable(),
  disables_at: Timestamp.nullable(),
  /** How long its attempts took lately. */
  attempt_ms: z.number().nullable(),
  last_answer: z
    .object({
      status: z.number().nullable(),
      error_class: z.string().nullable(),
      detail: z.string().nullable(),
      at: Timestamp,
      delivery_id: z.string(),
    })
    .nullable(),
  next_attempt_at: Timestamp.nullable(),
})

/** What a person has to look at, over all applications of theirs; of each kind the first ten, and how many there are. */
export const Attention = z.object({
  subscriptions: z.array(TroubledSubscription),
  subscriptions_total: z.number(),
  /** Deliveries that were given up in the last 24 hours; of each subscription at most a thousand are counted. */
  failed_deliveries: z.array(
    z.object({ subscription_id: z.string(), ...ofApplication, url: z.string(), count: z.number(), last_at: Timestamp }),
  ),
  failed_deliveries_total: z.number(),
  /** Keys that end within 14 days, or ended in the last seven without having been replaced. */
  keys: z.array(
    z.object({ id: z.string(), ...ofApplication, name: z.string(), last4: z.string(), expires_at: Timestamp }),
  ),
  keys_total: z.number(),
  /** What the API refused in the last hour, with the newest of it; of each application at most a thousand are counted. */
  failures: z.array(
    z.object({
      ...ofApplication,
      count: z.number(),
      status: z.number(),
      code: z.string().nullable(),
      operation: z.string(),
      message: z.string().nullable(),
      last_at: Timestamp,
    }),
  ),
  failures_total: z.number(),
})
export type Attention = z.output<typeof Attention>
