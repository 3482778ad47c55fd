import type { Blocker } from '../db/blockers.ts'
import type { DatabaseTarget } from '../db/client.ts'
import { migrateDatabase } from '../db/migrate.ts'
import { logger } from '../telemetry/logger.ts'

/** Migrates the database, and logs whom that waits for. Returns how many migrations were applied. */
export function migrateAndLog(target: DatabaseTarget, stopping?: AbortSignal): Promise<number> {
  return migrateDatabase(target, {
    ...(stopping && { stopping }),
    onWait: () => logger.info('Waiting for another process to migrate the database'),
    onBlocked: (blockers) =>
      logger.warn({ blockers: blockers.map(describe) }, 'A migration needs what others have locked: trying again'),
  })
}

const describe = ({ pid, application, user, age_s, statement }: Blocker) =>
  `process ${pid} (${application || 'unnamed'}, role ${user || 'unknown'}), in a transaction for ${age_s ?? '?'} s: ${statement ?? '?'} …`
