import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { sweepExpired, sweepStopped } from '../queue/sweep.ts'
import { reEncryptSecrets } from '../secrets/re-encrypt.ts'

const DELETED_KEPT_DAYS = 35
const CHUNK_ROWS = 1_000
/** Between two runs; a subscription that crosses a day within it is warned of once. */
const PERIOD = `interval '1 hour'`

/** What is due every hour, before partitions are dropped. Safe in several processes at once. */
export async function maintainDeliveries(ctx: Context): Promise<void> {
  await sweepStopped(ctx)
  await sweepExpired(ctx)
  await deleteOld(ctx.slow, CHUNK_ROWS)
  await warn(ctx)
  const resealed = await reEncryptSecrets(ctx)
  if (resealed > 0) ctx.log.info({ resealed }, 'Signing secrets were sealed under the current key')
}

const deleteOld = statement<[limit: number], never>(`
delete from webhook_subscriptions where id = any(array(
  select id from webhook_subscriptions
  where deleted_at < statement_timestamp() - interval '${DELETED_KEPT_DAYS} days' order by id limit $1::int))`)

const selectFailing = statement<[], { id: string; days: number }>(`
select s.id, days from webhook_subscriptions s cross join (values (1), (3)) warned (days)
where s.status = 'enabled' and s.deleted_at is null
  and s.first_failure_at <= statement_timestamp() - days * interval '1 day'
  and s.first_failure_at > statement_timestamp() - days * interval '1 day' - ${PERIOD}`)

/** On the first and on the third day; on the fifth it would be disabled. */
async function warn({ slow, log }: Context): Promise<void> {
  for (const { id, days } of await selectFailing(slow)) {
    log.warn({ subscription: id, days }, 'A webhook subscription had no success for days; after five it is disabled')
  }
}
