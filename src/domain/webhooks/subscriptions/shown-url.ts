import { type SQL, sql } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { theirApplications } from '../../access/ownership.ts'
import type { ActorContext } from '../../core/context.ts'

/** SQL: an address for whoever reads along: its query may hold a secret of the receiver's. */
export const urlToRead = (url: string): string => `split_part(${url}, '?', 1)`

/** The first line of a request as it was sent, which has the whole address. */
const FIRST_LINE = /^(POST [^\s?]*\?)(\S+)/
/** What is shorter is no secret, and stands anywhere. */
const SECRET_LENGTH_MIN = 6

/** Texts of an attempt for whoever reads along: the query that was sent stands in none of them, also where the receiver repeats it. */
export function withoutQuery<
  Attempt extends { [Name in 'request' | 'detail' | 'response_headers' | 'response']: string | null },
>(attempt: Attempt): Attempt {
  const { request, detail, response_headers, response } = attempt
  const [, , query] = FIRST_LINE.exec(request ?? '') ?? []
  if (request === null || query === undefined) return attempt
  const hidden = (text: string | null) =>
    query.length < SECRET_LENGTH_MIN ? text : (text?.replaceAll(query, '…') ?? null)
  return {
    ...attempt,
    request: hidden(request.replace(FIRST_LINE, '$1…')),
    detail: hidden(detail),
    response_headers: hidden(response_headers),
    response: hidden(response),
  }
}

/** The whole address for whoever may change it: the application itself, who develops it, the operator. */
export function urlFor({ principal }: ActorContext): SQL<string> {
  const whole = sql<string>`${subscriptions.url}`
  if (principal.kind !== 'user' || principal.clientId !== null) return whole
  const developed = theirApplications(principal.userId, { role: 'developer' })
  return sql<string>`case when ${subscriptions.clientId} = any (${developed}) then ${whole} else split_part(${whole}, '?', 1) end`
}
