import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { transact } from '../core/transaction.ts'
import { endLivestream, livestreamOf } from '../livestreams.ts'
import { onBehalfOf } from './publish.ts'

/** How many are looked for at a time. */
const CHUNK_ROWS = 100
/** How many are ended at a time, of the connections that a process has. */
const AT_ONCE = 2

type Lapsed = { id: string; username: string }

const findLapsed = statement<[limit: number], Lapsed>(`
  select u.id, u.username
    from (select channel_id from ingest_connections where expires_at <= statement_timestamp()
           order by expires_at limit $1::int) c
    cross join lateral (select id, username from users where id = c.channel_id limit 1) u`)

/** Whoever is ended by another process is left to it. */
const takeLapsed = statement<[channelId: string], { livestream_id: string | null }>(`
  delete from ingest_connections where channel_id = (
    select channel_id from ingest_connections where channel_id = $1 and expires_at <= statement_timestamp()
    for update skip locked)
  returning livestream_id`)

/**
 * Ends the live streams whose encoders have gone, or were silent, for too long, by the clock of the database; stops early when
 * `signal` aborts. Several processes may do so at once. Returns how many were ended.
 */
export async function endLapsed(ctx: Context, signal?: AbortSignal): Promise<number> {
  let ended = 0
  for (;;) {
    const found = await findLapsed(ctx.slow, CHUNK_ROWS)
    const left = found.values()
    const counts = await Promise.all(Array.from({ length: AT_ONCE }, () => endThose(ctx, left, signal)))
    ended += counts.reduce((sum, count) => sum + count, 0)
    if (found.length < CHUNK_ROWS || signal?.aborted) return ended
  }
}

async function endThose(ctx: Context, channels: Iterable<Lapsed>, signal: AbortSignal | undefined): Promise<number> {
  let ended = 0
  for (const channel of channels) {
    if (signal?.aborted) break
    if (await endOne(ctx, channel)) ended++
  }
  return ended
}

async function endOne(ctx: Context, channel: Lapsed): Promise<boolean> {
  return transact(ctx, async (tx) => {
    const [taken] = await takeLapsed(tx.db, channel.id)
    if (!taken) return false
    const [live] = await livestreamOf(tx.db, channel.id)
    if (live === undefined || live.id !== taken.livestream_id) return false
    return (await endLivestream(onBehalfOf(tx, channel))).ended
  })
}
