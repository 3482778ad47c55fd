import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'

/** Between two looks at everything that is watched; after a look that took long, as much longer. */
const LOOK_EVERY_MS = 1_000
const PAUSE_PER_LOOK = 4
const IDS_AT_ONCE = 100

/** A hash over the newest rows is enough: whatever a worker does moves a row to an end of one of these indexes. */
const selectStates = statement<[ids: string[]], { id: string; hash: string }>(`
select w.id, md5(concat(
  (select concat(status, consecutive_failures, last_success_at, open_until, updated_at) from webhook_subscriptions where id = w.id),
  (select string_agg(concat(id, attempts, lease, due_at), ' ' order by id) from (values (0), (1)) lanes (lane)
    cross join lateral (select id, attempts, lease, due_at from webhook_deliveries d
      where d.lane = lanes.lane and subscription_id = w.id order by due_at desc limit 50) pending),
  (select string_agg(concat(id, outcome, attempts, finished_at), ' ' order by id) from (
    select id, outcome, attempts, finished_at from webhook_deliveries_done where subscription_id = w.id order by id desc limit 50) done)
)) as hash from unnest($1::text[]) w (id)`)

type Watched = { state: string | undefined; listeners: Set<() => void> }

/**
 * Looks at subscriptions and their deliveries for all who watch any of them: once a second for the whole process, however
 * many watch, and not at all while nobody does.
 */
export class StateLooks {
  readonly #slow: Database
  readonly #watched = new Map<string, Watched>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  constructor(slow: Database) {
    this.#slow = slow
  }

  /** What a watched subscription looked like; undefined before the first look. */
  stateOf(id: string): string | undefined {
    return this.#watched.get(id)?.state
  }

  /** Calls `listener` when the state of one of the subscriptions is known, and when it has changed, until the returned function is called. */
  watch(ids: readonly string[], listener: () => void): () => void {
    const unseen = ids.filter((id) => this.#add(id, listener))
    if (unseen.length > 0) void this.#look(unseen)
    this.#lookLater(LOOK_EVERY_MS)
    return () => {
      for (const id of ids) this.#remove(id, listener)
    }
  }

  /** Whether nobody has watched it until now. */
  #add(id: string, listener: () => void): boolean {
    const watched = this.#watched.get(id) ?? { state: undefined, listeners: new Set() }
    this.#watched.set(id, watched)
    watched.listeners.add(listener)
    return watched.listeners.size === 1
  }

  #remove(id: string, listener: () => void) {
    const watched = this.#watched.get(id)
    watched?.listeners.delete(listener)
    if (watched?.listeners.size === 0) this.#watched.delete(id)
  }

  #lookLater(ms: number) {
    if (this.#isLooking) return
    this.#timer ??= setTimeout(() => void this.#lookAtAll(), ms).unref()
  }

  async #lookAtAll() {
    this.#timer = undefined
    if (this.#watched.size === 0) return
    this.#isLooking = true
    const begun = performance.now()
    const ids = [...this.#watched.keys()]
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) await this.#look(ids.slice(from, from + IDS_AT_ONCE))
    this.#isLooking = false
    this.#lookLater(Math.max(LOOK_EVERY_MS, PAUSE_PER_LOOK * (performance.now() - begun)))
  }

  /** A look that fails has seen nothing: the next one is soon. */
  async #look(ids: string[]) {
    const states = await selectStates(this.#slow, ids).catch(() => [])
    for (const { id, hash } of states) {
      const watched = this.#watched.get(id)
      if (!watched || watched.state === hash) continue
      watched.state = hash
      for (const listener of watched.listeners) listener()
    }
  }
}
