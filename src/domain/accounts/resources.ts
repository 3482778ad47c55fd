import * as z from 'zod'
import { Timestamp } from '../core/timestamp.ts'

/** What a user sees of the own account. */
export const Account = z.object({
  id: z.string(),
  username: z.string(),
  email: z.string(),
  bio: z.string().nullable(),
  image_url: z.string().nullable(),
  created_at: Timestamp,
})

export type Account = z.output<typeof Account>
