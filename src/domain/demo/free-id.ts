import { eq } from 'drizzle-orm'
import type { livestreams, users } from '../../db/schema/index.ts'
import type { Context } from '../core/context.ts'

/** The wanted identifier, unless a row has it already, such as one of a live stream that has ended. */
export async function freeId(
  { db }: Context,
  table: typeof users | typeof livestreams,
  wanted: string | undefined,
): Promise<string | undefined> {
  if (wanted === undefined) return undefined
  const [taken] = await db.select({ id: table.id }).from(table).where(eq(table.id, wanted))
  return taken ? undefined : wanted
}
