import type { Config } from '../config.ts'

/** What may be meant and is more likely a mistake: a sentence each, that says what to do. */
export function startWarnings({ cronAccess, hasWorker }: Pick<Config, 'cronAccess' | 'hasWorker'>): string[] {
  if (hasWorker || cronAccess !== 'nobody') return []
  return [
    'WEBHOOK_WORKER is off, and without CRON_SECRET nobody may call /cron/webhook-deliveries here: set CRON_SECRET, or run developer-api worker',
  ]
}
