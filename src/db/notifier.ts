import type { Database } from './client.ts'
import { statement } from './statement.ts'

const APART_MS = 50

const notify = statement<[channel: string], object>(`select pg_notify($1, '')`)

/**
 * Tells every listening process that there is something on a channel: at once, then at most every 50 ms, the last time
 * after the last call. To be called after the commit, never inside a transaction: NOTIFY would serialise all commits of
 * the database. A failure is ignored: whoever listens also looks by itself.
 */
export function announcer(db: Database, channel: string): () => void {
  let isPausing = false
  let isWanted = false
  const announce = () => {
    isWanted = isPausing
    if (isPausing) return
    isPausing = true
    setTimeout(() => {
      isPausing = false
      if (isWanted) announce()
    }, APART_MS).unref()
    notify(db, channel).catch(() => {})
  }
  return announce
}
