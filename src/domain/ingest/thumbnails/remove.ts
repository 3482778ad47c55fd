import { statement } from '../../../db/statement.ts'
import type { Context, ThumbnailStorage } from '../../core/context.ts'

const CHUNK_ROWS = 50
/** What could not be removed, or was being removed by a process that ended, is tried again after so long. */
const AGAIN_S = 300

const claimExpired = statement<[limit: number], { id: string }>(`
update thumbnails set expires_at = statement_timestamp() + interval '${AGAIN_S} seconds'
 where id = any(array(select id from thumbnails where expires_at <= statement_timestamp()
   order by expires_at limit $1::int for update skip locked))
returning id`)

const forget = statement<[ids: string[]], never>(`delete from thumbnails where id = any($1::text[])`)

/** Removes pictures that are shown no longer; several processes may do so at once. Throws where one could not be removed. */
export async function removeOldPictures({ slow }: Context, storage: ThumbnailStorage): Promise<void> {
  for (;;) {
    const expired = (await claimExpired(slow, CHUNK_ROWS)).map(({ id }) => id)
    await Promise.all(expired.map((id) => storage.remove(id)))
    if (expired.length > 0) await forget(slow, expired)
    if (expired.length < CHUNK_ROWS) return
  }
}
