import * as z from 'zod'
import { Timestamp } from '../core/timestamp.ts'

/** Who did what to an account, an application or one of its credentials, without the credential itself. */
export const AuditRecord = z.object({
  id: z.string(),
  at: Timestamp,
  /** `key.rolled`, `grant.revoked` and the like. */
  action: z.string(),
  actor_type: z.enum(['user', 'client', 'api_key', 'operator', 'system']),
  actor_id: z.string().nullable(),
  /** What the actor, the application and the target are called now; null for what is gone or has no name. */
  actor_name: z.string().nullable(),
  application_name: z.string().nullable(),
  target_name: z.string().nullable(),
  user_id: z.string().nullable(),
  application_id: z.string().nullable(),
  target_id: z.string().nullable(),
  request_id: z.string().nullable(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
})

export type AuditRecord = z.output<typeof AuditRecord>
