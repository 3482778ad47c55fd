import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { mendUrls } from '../http/mend-urls.ts'
import { sweepAllLapsed } from '../queue/lost-grants.ts'
import { sweepExpired, sweepStopped } from '../queue/sweep.ts'
import { reEncryptSecrets } from '../secrets/re-encrypt.ts'
import { deliveryMetrics } from './metrics.ts'

const DELETED_KEPT_DAYS = 35
const CHUNK_ROWS = 1_000
/** The time between two runs, so that each run warns of the subscriptions that have reached a day since the last one. */
const PERIOD = `interval '1 hour'`

/**
 * The hourly work on deliveries, to be done before partitions are dropped. `now` is the database's. Safe in several processes
 * at once.
 */
export async function maintainDeliveries(ctx: Context, now: Date): Promise<void> {
  deliveryMetrics.disabled.grant_lost += await sweepAllLapsed(ctx)
  await sweepStopped(ctx)
  await sweepExpired(ctx, now)
  await deleteOld(ctx.slow, CHUNK_ROWS)
  await warnOfFailing(ctx)
  const mended = await mendUrls(ctx)
  if (mended > 0) ctx.log.info({ mended }, 'Addresses of webhooks that were no URIs were percent-encoded')
  const reEncrypted = await reEncryptSecrets(ctx)
  if (reEncrypted > 0) ctx.log.info({ reEncrypted }, 'Webhook signing secrets were re-encrypted under the current key')
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

/** On the first and on the third day; on the fifth the subscription is disabled. */
async function warnOfFailing({ slow, log }: Context): Promise<void> {
  for (const { id, days } of await selectFailing(slow)) {
    log.warn(
      { subscription: id, days },
      'A webhook subscription has had no success for days; after five it is disabled',
    )
  }
}
