import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'

export type DueCheck = {
  /** Milliseconds until the next row is due, negative when it is overdue; null when the queue is empty. */
  due_ms: number | null
  /** There are retries or replays, due or not. */
  has_retries: boolean
  /** There are events with so many receivers that their deliveries are still to be written. */
  has_fanouts: boolean
}

const selectDue = statement<[], DueCheck>(`
select (extract(epoch from (select min(due_at) from webhook_deliveries) - statement_timestamp()) * 1000)::float8 as due_ms,
  exists (select from webhook_deliveries where lane = 1) as has_retries,
  exists (select from webhook_fanouts) as has_fanouts`)

/** Whether there is anything to do, by three index probes, so that an idle worker costs next to nothing. */
export async function checkDue({ db }: Context): Promise<DueCheck> {
  const [found] = await selectDue(db)
  return found ?? { due_ms: null, has_retries: false, has_fanouts: false }
}
