import type { Database } from './client.ts'
import type { OtherListeners } from './other-listeners.ts'
import { statement } from './statement.ts'

const APART_MS = 50
/** PostgreSQL takes payloads of less than 8,000 bytes. */
const PAYLOAD_BYTES_MAX = 7_900

const notify = statement<[channel: string, payload: string], object>('select pg_notify($1, $2)')

export type AnnouncerOptions = {
  /** Lets a process know its own announcements. */
  sender?: string
  /** Where nobody else listens nothing is announced. Without this somebody always may. */
  others?: Pick<OtherListeners, 'areLikely'>
}

/**
 * Returns a function that notifies a channel: at once, then at most every 50 ms, the last time after the last call. What the
 * calls since then named goes along; who gets it reads it by `announcementIn`. Call it after the commit and never in a
 * transaction, because NOTIFY serialises all commits of the database. Failures are ignored, because listeners also poll.
 */
export function announcer(
  db: Database,
  channel: string,
  { sender = '', others }: AnnouncerOptions = {},
): (name?: string) => void {
  const names = new Set<string>()
  let announcedAt = Number.NEGATIVE_INFINITY
  const announce = () => {
    announcedAt = performance.now()
    for (const payload of payloadsOf(names)) notify(db, channel, `${sender},${payload}`).catch(() => {})
    names.clear()
  }
  return (name = '') => {
    if (others?.areLikely === false) return
    const isWaiting = names.size > 0
    names.add(name)
    if (isWaiting) return
    const rest = announcedAt + APART_MS - performance.now()
    if (rest <= 0) announce()
    else setTimeout(announce, rest).unref()
  }
}

/** Who announces, and what was named; nothing, when it says that something else has happened. */
export function announcementIn(payload: string): { sender: string; names: string[] } {
  const [sender = '', ...names] = payload.split(',')
  return { sender, names: names.filter((name) => name !== '') }
}

function payloadsOf(names: ReadonlySet<string>): string[] {
  const payloads = names.has('') ? [''] : []
  let payload = ''
  for (const name of names) {
    if (payload.length + name.length >= PAYLOAD_BYTES_MAX) {
      payloads.push(payload)
      payload = ''
    }
    if (name !== '') payload += payload === '' ? name : `,${name}`
  }
  return payload === '' ? payloads : [...payloads, payload]
}
