import * as z from 'zod'
import { Timestamp } from '../core/timestamp.ts'

/** A login of the caller's. Its secret is in the cookie alone. */
export const LoginSession = z.object({
  id: z.string(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  /** The one by which the list was asked for. */
  is_current: z.boolean(),
})

export type LoginSession = z.output<typeof LoginSession>
