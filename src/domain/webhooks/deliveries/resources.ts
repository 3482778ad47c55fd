import * as z from 'zod'
import { Timestamp } from '../../core/timestamp.ts'

export const deliveryOutcomes = ['pending', 'delivered', 'failed', 'cancelled', 'held', 'expired'] as const

/** One event for one subscription. `pending`: in the queue, and due at `due_at`. */
export const Delivery = z.object({
  id: z.string(),
  event_id: z.string(),
  type: z.string(),
  subscription_id: z.string(),
  subscription_url: z.string(),
  outcome: z.enum(deliveryOutcomes),
  reason: z.string().nullable(),
  attempts: z.number(),
  /** How its last attempt ended; both are null before the first. */
  last_status: z.number().nullable(),
  last_error_class: z.string().nullable(),
  created_at: Timestamp,
  finished_at: Timestamp.nullable(),
  due_at: Timestamp.nullable(),
})

/**
 * One POST. `request` is its head as it was sent, with the whole address in its first line. The receiver chose the text of
 * `response` and `response_headers`, and parts of `detail`, so whoever shows them must escape them.
 */
export const AttemptInfo = z.object({
  n: z.number(),
  started_at: Timestamp,
  duration_ms: z.number(),
  status: z.number().nullable(),
  error_class: z.string().nullable(),
  detail: z.string().nullable(),
  request: z.string().nullable(),
  response_headers: z.string().nullable(),
  response: z.string().nullable(),
})

export const DeliveryDetails = Delivery.extend({ payload: z.string().nullable(), attempts_made: z.array(AttemptInfo) })

export type Delivery = z.output<typeof Delivery>
export type AttemptInfo = z.output<typeof AttemptInfo>
export type DeliveryDetails = z.output<typeof DeliveryDetails>
