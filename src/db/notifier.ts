import type { Database } from './client.ts'
import { statement } from './statement.ts'

const APART_MS = 50

const notify = statement<[channel: string], object>(`select pg_notify($1, '')`)

/**
 * Returns a function that notifies a channel: at once, then at most every 50 ms, the last time after the last call. Call it
 * after the commit and never in a transaction, because NOTIFY serialises all commits of the database. Failures are ignored,
 * because listeners also poll.
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
