import * as z from 'zod'
import { Timestamp } from '../core/timestamp.ts'

/** What a user sees of the own account. */
export const Account = z.object({
  id: z.string(),
  username: z.string(),
  /** Empty when somebody else has confirmed the one that was given. */
  email: z.string(),
  email_verified: z.boolean(),
  /** Waits to be confirmed, and then replaces `email`. */
  pending_email: z.string().nullable(),
  bio: z.string().nullable(),
  image_url: z.string().nullable(),
  created_at: Timestamp,
})

export type Account = z.output<typeof Account>
