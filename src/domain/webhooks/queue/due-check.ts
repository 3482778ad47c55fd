import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'

export type DueCheck = {
  /** Milliseconds until the next row is due, negative when it is; null when nothing waits at all. */
  due_ms: number | null
  /** There are retries or replays, due or not. */
  has_retries: boolean
  /** There are events with too many receivers to be expanded. */
  has_fanouts: boolean
}

const selectPulse = statement<[], DueCheck>(`
select (extract(epoch from (select min(due_at) from webhook_deliveries) - statement_timestamp()) * 1000)::float8 as due_ms,
  exists (select from webhook_deliveries where lane = 1) as has_retries,
  exists (select from webhook_fanouts) as has_fanouts`)

/** Whether there is anything to do: three index probes, so that an idle worker costs nearly nothing. */
export async function checkDue({ db }: Context): Promise<DueCheck> {
  const [pulse] = await selectPulse(db)
  return pulse ?? { due_ms: null, has_retries: false, has_fanouts: false }
}
