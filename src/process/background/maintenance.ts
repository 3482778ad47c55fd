import { databaseTime } from '../../db/database-time.ts'
import { maintainPartitions } from '../../db/partitions.ts'
import { eraseClosed } from '../../domain/accounts/closing/erase.ts'
import { tellOfEndingKeys } from '../../domain/applications/key-notices.ts'
import type { Context } from '../../domain/core/context.ts'
import { deleteExpired } from '../../domain/expiry.ts'
import { reEncryptFactors } from '../../domain/factors/re-encrypt.ts'
import { endLeftOver } from '../../domain/ingest/lapse.ts'
import { reSealSigningKey } from '../../domain/oauth/openid/signing-keys.ts'
import { maintainDeliveries } from '../../domain/webhooks/worker/maintenance.ts'
import { tellOfFailing } from '../../domain/webhooks/worker/notices.ts'
import { HOUR_MS } from '../../time/durations.ts'

type Step = (ctx: Context, now: Date) => Promise<unknown>

/** What is done every hour. One that fails holds up none of the others. */
const steps: Record<string, Step> = {
  'queued deliveries, and those that were stopped': maintainDeliveries,
  'the key that signs ID tokens, sealed with the current key': reSealSigningKey,
  'partitions of the next days, and old ones': ({ slow }) => maintainPartitions(slow),
  'what has expired': deleteExpired,
  'second factors, encrypted with the current key': reEncryptFactors,
  'encoders that have gone, and are watched by nobody': endLeftOver,
  'what is left of closed accounts': eraseClosed,
  'mails about webhooks that fail': tellOfFailing,
  'mails about keys that end': tellOfEndingKeys,
}

/** Does all of it now and every hour, by the clock of the database. */
export function startMaintenance(ctx: Context): AsyncDisposable {
  let running = maintain(ctx)
  const timer = setInterval(() => {
    running = maintain(ctx)
  }, HOUR_MS)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await running
    },
  }
}

async function maintain(ctx: Context): Promise<void> {
  for (const [what, step] of Object.entries(steps)) {
    try {
      await step(ctx, await databaseTime(ctx.slow))
    } catch (error) {
      ctx.log.error({ err: error, what }, 'Hourly maintenance failed in part: next attempt in an hour')
    }
  }
}
