import { DAY_MS } from '../../time/durations.ts'
import type { Context } from '../core/context.ts'
import { lowerBound } from '../core/ids.ts'
import { parseInstant } from '../core/instant.ts'

/** Times of RFC 3339. */
export type Period = { from?: string | undefined; to?: string | undefined }

/** For so long requests are kept, and up to a day more. */
const KEPT_DAYS = 7

const AFTER_ALL = 'req~' // sorts behind every identifier of a request

/** The identifiers between which the requests of a period are, as far as they are kept. Throws `invalid_request`. */
export function periodBounds({ now }: Pick<Context, 'now'>, { from, to }: Period): { from: string; before: string } {
  const oldest = new Date(now().getTime() - (KEPT_DAYS + 1) * DAY_MS)
  const begin = from === undefined ? oldest : parseInstant('from', from)
  return {
    from: lowerBound('request', begin > oldest ? begin : oldest),
    before: to === undefined ? AFTER_ALL : lowerBound('request', parseInstant('to', to)),
  }
}
