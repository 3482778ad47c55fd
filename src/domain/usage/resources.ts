import * as z from 'zod'
import { Timestamp } from '../core/timestamp.ts'

const counted = {
  requests: z.number(),
  /** Answered with 400 or more, but for 429. */
  errors: z.number(),
  /** Answered with 429. */
  limited: z.number(),
  /** How long a request took on average; null without requests. */
  mean_ms: z.number().nullable(),
}

const percentiles = {
  /** How many deliveries were sampled: at most the newest few hundred of each step. */
  sampled: z.number(),
  /** From the event to the receiver's first answer. */
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
}

/** The requests of an application and how fast its receivers answered, step by step up to now. */
export const Usage = z.object({
  step: z.enum(['hour', 'day']),
  from: Timestamp,
  requests: z.array(z.object({ at: Timestamp, ...counted })),
  /** The 20 operations that were called most. */
  operations: z.array(z.object({ operation: z.string(), ...counted })),
  deliveries: z.array(z.object({ at: Timestamp, ...percentiles })),
  delivery_latency: z.object(percentiles),
  /** Each credential has a limit of its own. Only API keys are shown, no tokens of users. */
  rate_limit: z.object({
    limit: z.number(),
    window_s: z.number(),
    keys: z.array(
      z.object({ id: z.string(), name: z.string(), last4: z.string(), remaining: z.number(), reset_s: z.number() }),
    ),
  }),
})
export type Usage = z.output<typeof Usage>
