import { databaseTime } from '../../db/database-time.ts'
import { maintainPartitions } from '../../db/partitions.ts'
import { eraseClosed } from '../../domain/accounts/closing/erase.ts'
import { tellOfEndingKeys } from '../../domain/applications/key-notices.ts'
import type { Context } from '../../domain/core/context.ts'
import { deleteExpired } from '../../domain/expiry.ts'
import { reEncryptFactors } from '../../domain/factors/re-encrypt.ts'
import { endLapsed } from '../../domain/ingest/lapse.ts'
import { reSealSigningKey } from '../../domain/oauth/openid/signing-keys.ts'
import { maintainDeliveries } from '../../domain/webhooks/worker/maintenance.ts'
import { tellOfFailing } from '../../domain/webhooks/worker/notices.ts'
import { HOUR_MS } from '../../time/durations.ts'

/** Creates the partitions of the next days, deletes what has expired and what is left of closed accounts by the clock of the database, seals with the current key, and tells of webhooks that fail and keys that end, now and every hour. */
export function startMaintenance(ctx: Context): AsyncDisposable {
  const maintain = async () => {
    try {
      const now = await databaseTime(ctx.slow)
      await maintainDeliveries(ctx, now)
      await reSealSigningKey(ctx)
      await maintainPartitions(ctx.slow)
      await deleteExpired(ctx, now)
      await reEncryptFactors(ctx)
      await endLapsed(ctx)
      await eraseClosed(ctx)
      await tellOfFailing(ctx)
      await tellOfEndingKeys(ctx)
    } catch (error) {
      ctx.log.error({ err: error }, 'Hourly maintenance failed: next attempt in an hour')
    }
  }
  let running = maintain()
  const timer = setInterval(() => {
    running = maintain()
  }, HOUR_MS)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await running
    },
  }
}
