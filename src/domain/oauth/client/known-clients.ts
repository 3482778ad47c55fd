import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'

const REMEMBERED_MAX = 10_000

const selectKnown = statement<[id: string], { id: string }>('select id from clients where id = $1')

// Module state by database, as it is the database that knows them
const rememberedOf = new WeakMap<Database, Set<string>>()

/** Whether there is an application of this identifier, stopped or not. Those that there are, the last ten thousand, are remembered. */
export async function isKnownClient(db: Database, id: string): Promise<boolean> {
  const isKnown = isRememberedClient(db, id) || (await selectKnown(db, id)).length > 0
  if (isKnown) remember(db, id)
  return isKnown
}

/** Asks nobody, for whoever is refused before anything is looked up. */
export const isRememberedClient = (db: Database, id: string): boolean => rememberedOf.get(db)?.has(id) === true

function remember(db: Database, id: string): void {
  const remembered = rememberedOf.get(db) ?? new Set()
  rememberedOf.set(db, remembered)
  remembered.delete(id)
  remembered.add(id)
  const [oldest] = remembered
  if (remembered.size > REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest)
}
