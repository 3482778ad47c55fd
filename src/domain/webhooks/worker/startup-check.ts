import { sql } from 'drizzle-orm'
import type { Context } from '../../core/context.ts'
import { requireReadableSecrets } from '../secrets/re-encrypt.ts'

const CLOCK_DIFFERENCE_S_MAX = 60

/**
 * Checks, before a process starts to deliver, what would fail later. Throws when `SECRET_KEYS` cannot decrypt the signing
 * secrets. Warns when the clocks differ, because events are stamped by this clock and deadlines by the database's.
 */
export async function checkDelivery(ctx: Context): Promise<void> {
  await requireReadableSecrets(ctx)
  const [row] = await ctx.db.execute<{ now_s: number }>(
    sql`select extract(epoch from clock_timestamp())::float8 as now_s`,
  )
  const differenceS = Math.round(Math.abs((row?.now_s ?? 0) - ctx.now().getTime() / 1000))
  if (differenceS > CLOCK_DIFFERENCE_S_MAX)
    ctx.log.warn({ differenceS }, 'The clock of this process and that of the database differ')
}
