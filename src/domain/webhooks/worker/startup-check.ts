import { sql } from 'drizzle-orm'
import type { Context } from '../../core/context.ts'
import { requireReadableSecrets } from '../secrets/re-encrypt.ts'

const CLOCK_APART_S_MAX = 60

/**
 * What a process that delivers wants to know before it starts. Throws one line when `SECRET_KEYS` cannot open the signing
 * secrets; warns when the clocks differ, because events are stamped by this one and deadlines by the database's.
 */
export async function checkDelivery(ctx: Context): Promise<void> {
  await requireReadableSecrets(ctx)
  const [row] = await ctx.db.execute<{ now_s: number }>(
    sql`select extract(epoch from clock_timestamp())::float8 as now_s`,
  )
  const apartS = Math.round(Math.abs((row?.now_s ?? 0) - ctx.now().getTime() / 1000))
  if (apartS > CLOCK_APART_S_MAX) ctx.log.warn({ apartS }, 'The clock of this process and that of the database differ')
}
