import { thumbnails } from '../../../db/schema/index.ts'
import { statement } from '../../../db/statement.ts'
import { LinkedController } from '../../../time/linked-controller.ts'
import type { Context, ThumbnailStorage } from '../../core/context.ts'
import { inMs } from '../../core/db-now.ts'
import { newId } from '../../core/ids.ts'
import { ingestMetrics } from '../metrics.ts'
import { frameOf } from './frame.ts'
import { readNewestSegment, type Segment } from './hls.ts'

/** Whoever fetches the picture before this one still gets it. */
const REPLACED_S = 120
/** A picture that nobody has come to know of, because the process ended, goes after so long. */
const UNKNOWN_MS = 300_000
const EVERY_S = 60
/** How many are claimed by a statement, which looks at all that are live. They are taken one after the other. */
const CLAIMED = 5
/** Until there is a first picture, but no longer than that: the first segment takes a few seconds. */
const AGAIN_S = 2
const SOON_S = 30
/** For what hangs: what works is bounded by its time on a core. */
const FFMPEG_MS = 10_000

export type PictureSettings = { source: string; ffmpeg: string; storage: ThumbnailStorage; publicUrl: string }

type Due = { channel_id: string; livestream_id: string; username: string; is_first: boolean }

/** The longest overdue ones; taken until their next picture is due, so that those of a process that ends are taken then. */
const claimDue = statement<[limit: number], Due>(`
update ingest_connections c set frame_due_at = statement_timestamp() + interval '${EVERY_S} seconds'
 where c.channel_id = any (array(select channel_id from ingest_connections
   where frame_due_at <= statement_timestamp() and connection is not null and livestream_id is not null
   order by frame_due_at limit $1::int for update skip locked))
returning c.channel_id, c.livestream_id, (select username from users where id = c.channel_id) as username,
  c.connected_at > statement_timestamp() - interval '${SOON_S} seconds'
    and not exists (select from thumbnails t where t.livestream_id = c.livestream_id and t.expires_at is null) as is_first`)

const tryAgain = statement<[channelId: string], never>(`
update ingest_connections set frame_due_at = statement_timestamp() + interval '${AGAIN_S} seconds' where channel_id = $1`)

const measure = statement<[channelId: string, bitrateKbps: number], never>(`
update ingest_connections set bitrate_kbps = $2::int, measured_at = statement_timestamp() where channel_id = $1`)

/** A stream that has ended meanwhile shows none. */
const show = statement<[id: string, livestreamId: string, url: string], never>(`
with shown as (
  update livestreams set thumbnail_url = $3 where id = $2 and ended_at is null returning id
), current as (
  update thumbnails set expires_at = null where id = $1 and exists (select from shown)
)
update thumbnails set expires_at = statement_timestamp() + interval '${REPLACED_S} seconds'
 where livestream_id = $2 and id <> $1 and expires_at is null`)

/**
 * Takes the pictures of the few live streams that have waited longest for their next one, and shows them; tells whether there were
 * any to take. A new picture is no change of the stream: it sends no event and moves no time. A failure is counted, and tried again:
 * at once while there is no picture yet, else in a minute. Throws where the database fails.
 */
export async function takeDuePictures(ctx: Context, settings: PictureSettings, signal: AbortSignal): Promise<boolean> {
  const due = await claimDue(ctx.db, CLAIMED)
  for (const one of due) {
    if (signal.aborted) return false
    await takePicture(ctx, settings, one, signal)
  }
  return due.length > 0
}

async function takePicture(ctx: Context, settings: PictureSettings, due: Due, signal: AbortSignal): Promise<void> {
  try {
    const segment = await readNewestSegment(settings.source, due.username, signal)
    await measure(ctx.db, due.channel_id, segment.bitrateKbps)
    await keep(ctx, settings, due, await pictureOf(segment, settings, signal))
    ingestMetrics.pictures.taken++
  } catch (error) {
    if (signal.aborted) return
    ingestMetrics.pictures.failed++
    ctx.log.debug({ err: error, channelId: due.channel_id }, 'A picture of a live stream could not be taken')
    if (due.is_first) await tryAgain(ctx.db, due.channel_id)
  }
}

async function pictureOf(segment: Segment, { ffmpeg }: PictureSettings, signal: AbortSignal): Promise<Buffer> {
  const begunMs = performance.now()
  using ending = new LinkedController({ signal, ms: FFMPEG_MS })
  const jpeg = await frameOf(segment, ffmpeg, ending.signal)
  ingestMetrics.pictureS.observe((performance.now() - begunMs) / 1_000)
  return jpeg
}

/** Written down before it is stored, so that nothing is stored of which nobody knows. */
async function keep(ctx: Context, { storage, publicUrl }: PictureSettings, due: Due, jpeg: Buffer): Promise<void> {
  const createdAt = ctx.now()
  const id = newId('thumbnail', createdAt)
  const { livestream_id: livestreamId } = due
  await ctx.db.insert(thumbnails).values({ id, livestreamId, createdAt, expiresAt: inMs(UNKNOWN_MS) })
  await storage.put(id, jpeg)
  await show(ctx.db, id, livestreamId, `${publicUrl}/thumbnails/${id}.jpg`)
}
