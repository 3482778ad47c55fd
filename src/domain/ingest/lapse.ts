import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { transact } from '../core/transaction.ts'
import { endLivestream, livestreamOf } from '../livestreams.ts'
import { onBehalfOf } from './publish.ts'

/** How many are looked for at a time. */
const CHUNK_ROWS = 100
/** How many are ended at a time, of the connections that a process has. */
const AT_ONCE = 2
/** Longer than the processes that encoders are let in by take to be back: what is overdue for so long nobody watches. */
const LEFT_OVER_S = 600

type Lapsed = { id: string; username: string }

const isOverdue = (seconds: string) => `expires_at <= statement_timestamp() - make_interval(secs => ${seconds}::int)`

const findLapsed = statement<[limit: number, overdueS: number], Lapsed>(`
  select u.id, u.username
    from (select channel_id from ingest_connections where ${isOverdue('$2')}
           order by expires_at limit $1::int) c
    cross join lateral (select id, username from users where id = c.channel_id limit 1) u`)

/** Whoever is ended by another process is left to it. */
const takeLapsed = statement<[channelId: string, overdueS: number], { livestream_id: string | null }>(`
  delete from ingest_connections where channel_id = (
    select channel_id from ingest_connections where channel_id = $1 and ${isOverdue('$2')}
    for update skip locked)
  returning livestream_id`)

/**
 * Ends the live streams whose encoders have gone, or were silent, for too long, by the clock of the database; stops early when
 * `signal` aborts. Several processes may do so at once. Returns how many were ended.
 */
export async function endLapsed(ctx: Context, signal?: AbortSignal, overdueS = 0): Promise<number> {
  let ended = 0
  for (;;) {
    const found = await findLapsed(ctx.slow, CHUNK_ROWS, overdueS)
    const left = found.values()
    const end = (channel: Lapsed) => endOne(ctx, channel, overdueS)
    const counts = await Promise.all(Array.from({ length: AT_ONCE }, () => endThose(left, end, signal)))
    ended += counts.reduce((sum, count) => sum + count, 0)
    if (found.length < CHUNK_ROWS || signal?.aborted) return ended
  }
}

/**
 * The same where no process lets encoders in any more, for those of which nothing was heard for ten minutes: while such processes
 * are only away for a moment, another one ends nothing in their place.
 */
export const endLeftOver = (ctx: Context): Promise<number> => endLapsed(ctx, undefined, LEFT_OVER_S)

type End = (channel: Lapsed) => Promise<boolean>

async function endThose(channels: Iterable<Lapsed>, end: End, signal: AbortSignal | undefined): Promise<number> {
  let ended = 0
  for (const channel of channels) {
    if (signal?.aborted) break
    if (await end(channel)) ended++
  }
  return ended
}

async function endOne(ctx: Context, channel: Lapsed, overdueS: number): Promise<boolean> {
  return transact(ctx, async (tx) => {
    const [taken] = await takeLapsed(tx.db, channel.id, overdueS)
    if (!taken) return false
    const [live] = await livestreamOf(tx.db, channel.id)
    if (live === undefined || live.id !== taken.livestream_id) return false
    return (await endLivestream(onBehalfOf(tx, channel))).ended
  })
}
