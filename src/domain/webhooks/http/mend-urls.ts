import { statement } from '../../../db/statement.ts'
import { WEBHOOK_URL_LENGTH_MAX } from '../../../shared/limits.ts'
import type { Context } from '../../core/context.ts'
import { HTTP_URI_FORM, isWebAddress, parseUrl, uriOf } from '../../core/url.ts'

const CHUNK_ROWS = 1_000

const selectOdd = statement<[form: string, after: string, limit: number], { id: string; url: string }>(`
select id, url from webhook_subscriptions where url !~ $1::text and id > $2 and deleted_at is null order by id limit $3::int`)

const mendRows = statement<[ids: string[], before: string[], uris: string[]], { id: string }>(`
update webhook_subscriptions s set url = mended.uri from unnest($1::text[], $2::text[], $3::text[]) mended (id, before, uri)
where s.id = mended.id and s.url = mended.before returning s.id`)

/**
 * Makes URIs of the addresses that were kept before they had to be some: the same that a new subscription would get, and the same
 * receiver, so nothing that is known of it changes. What can be none, as for its host, stays as it is. Safe in several processes
 * at once. Returns how many it mended.
 */
export async function mendUrls({ slow }: Pick<Context, 'slow'>, chunk = CHUNK_ROWS): Promise<number> {
  let mended = 0
  for (let after = ''; ; ) {
    const odd = await selectOdd(slow, HTTP_URI_FORM, after, chunk)
    const better = odd.flatMap(({ id, url }) => {
      const uri = uriIn(url)
      return uri === undefined ? [] : [{ id, url, uri }]
    })
    const lists = [better.map(({ id }) => id), better.map(({ url }) => url), better.map(({ uri }) => uri)] as const
    if (better.length > 0) mended += (await mendRows(slow, ...lists)).length
    if (odd.length < chunk) return mended
    after = odd.at(-1)?.id ?? ''
  }
}

/** Undefined where there is none: what has a user name, which no attempt calls, is left for its owner to change. */
function uriIn(text: string): string | undefined {
  const url = parseUrl(text)
  if (url === undefined || url.username !== '' || url.password !== '') return undefined
  const uri = uriOf(url)
  return uri.length <= WEBHOOK_URL_LENGTH_MAX && isWebAddress(uri) ? uri : undefined
}
