import * as z from 'zod'
import { Timestamp } from '../core/timestamp.ts'

const answer = {
  request_id: z.string(),
  at: Timestamp,
  operation: z.string(),
  status: z.number(),
  /** The public code of a failure, and its message; null for what did not fail. */
  code: z.string().nullable(),
  message: z.string().nullable(),
  duration_ms: z.number(),
}

/** A request of an application as its log keeps it for seven days. */
export const LoggedRequest = z.object({
  id: z.string(),
  ...answer,
  /** The API key or the grant that the credential came from; null for a token of the application itself. */
  credential_id: z.string().nullable(),
  /** From where it was made; of requests for a person only their network. */
  address: z.string().nullable(),
  /** What a failed request sent, as JSON without secrets, maybe cut off. */
  sent: z.string().nullable(),
})
export type LoggedRequest = z.output<typeof LoggedRequest>

/** Failed requests of an application by operation and code, and how many were not kept. */
export const RequestSummary = z.object({
  groups: z.array(
    z.object({
      operation: z.string(),
      status: z.number(),
      code: z.string().nullable(),
      count: z.number(),
      last_at: Timestamp,
      last_message: z.string().nullable(),
    }),
  ),
  /** Failures of the period that were not kept, because there were too many in their minute. */
  omitted: z.number(),
  /** Whether older ones of the period were left out of the groups, because there are so many. */
  is_cut: z.boolean(),
})
export type RequestSummary = z.output<typeof RequestSummary>

/** Why a request was answered as it was. */
export const ExplainedRequest = z.object({
  ...answer,
  application_id: z.string(),
  application_name: z.string(),
  /** What the code means, and what to do about it: Markdown. */
  cause: z.string().nullable(),
  remedy: z.string().nullable(),
  /** The API key by which it was made, if it was one that is still known; null for a viewer. */
  key: z
    .object({
      id: z.string(),
      name: z.string(),
      last4: z.string(),
      expires_at: Timestamp.nullable(),
      revoked_at: Timestamp.nullable(),
    })
    .nullable(),
  credential_id: z.string().nullable(),
  /** For the owner of the application alone, as is what was sent; of requests for a person only their network. */
  address: z.string().nullable(),
  sent: z.string().nullable(),
})
export type ExplainedRequest = z.output<typeof ExplainedRequest>
