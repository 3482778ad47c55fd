import * as z from 'zod'
import { scopes } from '../core/scopes.ts'
import { Timestamp } from '../core/timestamp.ts'

/** An application with access to a user's account. Each device that was allowed has a grant of its own. */
export const AllowedApplication = z.object({
  application_id: z.string(),
  name: z.string(),
  website_url: z.string().nullable(),
  /** All that any of its grants allows. */
  scopes: z.array(z.enum(scopes)),
  grants: z.number(),
  first_allowed_at: Timestamp,
  last_allowed_at: Timestamp,
})

export type AllowedApplication = z.output<typeof AllowedApplication>
