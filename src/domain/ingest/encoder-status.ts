import * as z from 'zod'
import { instantText, statement } from '../../db/statement.ts'
import type { UserContext } from '../core/context.ts'
import { Timestamp } from '../core/timestamp.ts'

/** A call is missing. */
const LATE_S = 12

/**
 * What is known of the encoder of a channel. `health`: `good`, `late` while a sign of life is missing, `gone` while it is waited
 * for. The bitrate is that of the newest segment, with sound; null where no pictures are taken.
 */
export const EncoderStatus = z.object({
  health: z.enum(['good', 'late', 'gone']),
  connected_at: Timestamp,
  seen_at: Timestamp,
  /** When the live stream ends unless the encoder is heard of again. */
  ends_at: Timestamp,
  bitrate_kbps: z.number().nullable(),
  measured_at: Timestamp.nullable(),
})

const statusOf = statement<[channelId: string], z.output<typeof EncoderStatus>>(`
  select case when connection is null then 'gone'
              when seen_at < statement_timestamp() - interval '${LATE_S} seconds' then 'late' else 'good' end as health,
         ${instantText('connected_at')} as connected_at, ${instantText('seen_at')} as seen_at,
         ${instantText('expires_at')} as ends_at, bitrate_kbps, ${instantText('measured_at')} as measured_at
    from ingest_connections where channel_id = $1 and expires_at > statement_timestamp()`)

/** How the encoder of the caller's channel is; null where there is none. */
export async function getEncoderStatus({ db, principal }: UserContext): Promise<z.output<typeof EncoderStatus> | null> {
  return (await statusOf(db, principal.userId))[0] ?? null
}
