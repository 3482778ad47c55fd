import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'

type EncoderMetrics = { publishing: number; lapse_lag_s: number; frame_lag_s: number | undefined }

const LAG = (column: string) => `extract(epoch from statement_timestamp() - min(${column}))`

const readAll = statement<[], EncoderMetrics>(`
  select count(connection)::int as publishing,
         coalesce(greatest(${LAG('expires_at')}, 0), 0)::float8 as lapse_lag_s,
         coalesce(greatest(${LAG('case when connection is not null and livestream_id is not null then frame_due_at end')}, 0), 0)::float8
           as frame_lag_s
    from ingest_connections`)

/** How many encoders publish, and how late what is due about them is, in seconds; no picture is due where none are taken. */
export async function encoderMetrics({ slow, thumbnails }: Context): Promise<EncoderMetrics> {
  const [found = { publishing: 0, lapse_lag_s: 0, frame_lag_s: 0 }] = await readAll(slow)
  return thumbnails ? found : { ...found, frame_lag_s: undefined }
}
