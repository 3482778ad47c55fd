import * as z from 'zod'
import { scopes } from '../core/scopes.ts'
import { Timestamp } from '../core/timestamp.ts'

/** A webhook that hears a user's channel. Of its URL people see the host alone: the rest may be a secret of the developer's. */
const HearingWebhook = z.object({
  id: z.string(),
  host: z.string(),
  event_types: z.array(z.string()),
  created_at: Timestamp,
})

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
  /** Those that get events of the user's channel now; at most 100 are shown. */
  webhooks: z.array(HearingWebhook),
})

export type AllowedApplication = z.output<typeof AllowedApplication>
