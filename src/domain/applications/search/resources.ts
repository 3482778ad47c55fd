import * as z from 'zod'

const hitKinds = ['application', 'subscription', 'delivery', 'key', 'message', 'request'] as const

/** Something of the person who searches; `application_id` where it is looked at on a page of the application. */
export const SearchHit = z.object({
  kind: z.enum(hitKinds),
  id: z.string(),
  title: z.string(),
  detail: z.string().nullable(),
  application_id: z.string().nullable(),
})
export type SearchHit = z.output<typeof SearchHit>
