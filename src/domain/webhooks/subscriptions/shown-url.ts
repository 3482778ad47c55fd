import { type SQL, sql } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { theirApplications } from '../../access/ownership.ts'
import type { ActorContext } from '../../core/context.ts'

/** SQL: an address for whoever reads along: its query may hold a secret of the receiver's. */
export const urlToRead = (url: string): string => `split_part(${url}, '?', 1)`

/** The whole address for whoever may change it: the application itself, who develops it, the operator. */
export function urlFor({ principal }: ActorContext): SQL<string> {
  const whole = sql<string>`${subscriptions.url}`
  if (principal.kind !== 'user' || principal.clientId !== null) return whole
  const developed = theirApplications(principal.userId, { role: 'developer' })
  return sql<string>`case when ${subscriptions.clientId} = any (${developed}) then ${whole} else split_part(${whole}, '?', 1) end`
}
