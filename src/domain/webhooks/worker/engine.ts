import type { Context } from '../../core/context.ts'
import { Signal } from '../../events/signal.ts'
import { createSender, type Sender, sendAttempt } from '../http/send.ts'
import { type Claim, type Claimed, type Cursor, claimDue, type Lane } from '../queue/claim.ts'
import { ConcurrencyWindows } from '../queue/concurrency-window.ts'
import { DatabaseClock } from '../queue/database-clock.ts'
import { registerAttempts } from '../queue/in-flight.ts'
import { type DeliveryContent, type LoadedDelivery, loadContents } from '../queue/load.ts'
import { settlementOf } from '../queue/outcome.ts'
import { type AttemptResult, releaseOf } from '../queue/settlement.ts'
import { triage } from '../queue/triage.ts'
import { OpenedSecrets } from '../secrets/secrets.ts'
import { WorkCounter } from './counts.ts'
import { deliveryMetrics } from './metrics.ts'
import { SettleBatcher } from './settle-batcher.ts'

/** Attempts that a process makes at once. */
export const SLOTS = 128
/** Retries and replays leave a third of the slots to first attempts. */
const RETRY_SLOTS = Math.floor((SLOTS * 2) / 3)
/** Results that wait for the database; beyond that nothing more is begun. */
const UNSETTLED_MAX = 4 * SLOTS
const UNSIGNABLE_PAUSE_S = 60
const SETTLE_AT_STOP_MS = 3_000
const ENDED_KEPT_MS = 60_000

type Running = { row: Claimed; abort: AbortController }

export type EngineOptions = {
  /** How receivers are reached; made from the context's policy when absent. */
  sender?: Sender
}

/** Claims, sends and settles for one call of `workDeliveries`. */
export class Engine {
  readonly tally = new WorkCounter()
  readonly #ctx: Context
  readonly #sender: Sender
  readonly #secrets: OpenedSecrets
  readonly #settler: SettleBatcher
  readonly #windows = new ConcurrencyWindows()
  readonly #running = new Map<string, Running>()
  readonly #ended = new Map<string, number>()
  readonly #cursors: Record<Lane, Cursor> = { 0: '', 1: '' }
  readonly #unregister: () => void
  /** Rings when an attempt has ended, and when results are settled. */
  readonly changed = new Signal()
  #isStopping = false

  constructor(ctx: Context, { sender = createSender(ctx) }: EngineOptions = {}) {
    this.#ctx = ctx
    this.#sender = sender
    this.#secrets = new OpenedSecrets(ctx.keyring)
    this.#settler = new SettleBatcher(ctx, (batch, settled) => {
      this.tally.count(ctx, batch, settled)
      this.changed.ring()
    })
    this.#unregister = registerAttempts(this)
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#settler.pending === 0
  }

  /** Why results cannot be settled at the moment; undefined when they can. */
  get failure(): unknown {
    return this.#settler.failure
  }

  /** Claims what can be begun at once and begins it; returns how many rows were claimed. */
  async claim(lane: Lane): Promise<number> {
    const limit = this.#roomFor(lane)
    if (limit <= 0) return 0
    const { rows, databaseMs } = await this.#claimAround(lane, limit)
    if (rows.length > 0) await this.#begin(rows, new DatabaseClock(databaseMs))
    return rows.length
  }

  /** One claim looks at a part of the subscriptions; none of them being claimable says nothing of the others. */
  async #claimAround(lane: Lane, limit: number): Promise<Claim> {
    for (let hasTurned = this.#cursors[lane] === ''; ; ) {
      const claim = await claimDue(this.#ctx, { lane, limit, after: this.#cursors[lane] })
      this.#cursors[lane] = claim.next
      const isAround = hasTurned && claim.next === ''
      if (claim.rows.length > 0 || isAround) return claim
      hasTurned ||= claim.next === ''
    }
  }

  /** Ends the attempts of a subscription that was deleted; what is claimed of it already is not begun. */
  endAttemptsOf(subscriptionId: string) {
    const now = performance.now()
    for (const [id, at] of this.#ended) if (at < now - ENDED_KEPT_MS) this.#ended.delete(id)
    this.#ended.set(subscriptionId, now)
    for (const { row, abort } of this.#running.values()) if (row.subscription_id === subscriptionId) abort.abort()
  }

  /** Drops signing keys that were opened more than a minute ago. To be called now and then. */
  forgetOldKeys() {
    this.#secrets.forgetOld()
  }

  /** Lets attempts end for `graceMs`, cuts the others short, settles and gives back. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    const until = performance.now() + graceMs
    while (this.#running.size > 0 && performance.now() < until) await this.changed.heard(until - performance.now())
    for (const { abort } of this.#running.values()) abort.abort()
    while (this.#running.size > 0) await this.changed.heard(SETTLE_AT_STOP_MS)
    await this.#settler.drained(SETTLE_AT_STOP_MS)
    this.#unregister()
    await this.#sender.transport.close()
  }

  #roomFor(lane: Lane): number {
    if (this.#isStopping || this.#settler.pending > UNSETTLED_MAX) return 0
    const free = SLOTS - this.#running.size
    if (lane === 0) return free
    const retries = [...this.#running.values()].filter(({ row }) => row.lane === 1).length
    return Math.min(free, RETRY_SLOTS - retries)
  }

  async #begin(rows: Claimed[], clock: DatabaseClock) {
    const loaded = await loadContents(this.#ctx, rows).catch((error: unknown) => {
      for (const row of rows) this.#settler.push(releaseOf(row))
      throw error
    })
    for (const row of rows) this.#beginOne(row, loaded.get(row.id), clock)
  }

  #beginOne(row: Claimed, loaded: LoadedDelivery | undefined, clock: DatabaseClock) {
    const isStopped = this.#isStopping || this.#ended.has(row.subscription_id)
    const decided = triage(row, loaded, clock, isStopped)
    if ('settle' in decided) return this.#settler.push(decided.settle)
    const subscription = row.subscription_id
    const keys = this.#secrets.openAll(subscription, decided.send.secrets, (error) =>
      this.#ctx.log.error({ err: error, subscription }, 'A signing secret cannot be opened'),
    )
    if (keys.length === 0) return this.#settler.push(releaseOf(row, UNSIGNABLE_PAUSE_S))
    void this.#send(row, decided.send, keys, clock)
  }

  async #send(row: Claimed, content: DeliveryContent, keys: Buffer[], clock: DatabaseClock) {
    const abort = new AbortController()
    this.#running.set(row.lease, { row, abort })
    deliveryMetrics.inFlight++
    const parcel = { delivery: row, url: content.url, payload: content.payload, keys }
    const tried = await sendAttempt(this.#sender, parcel, clock, abort.signal)
    this.#running.delete(row.lease)
    deliveryMetrics.inFlight--
    observe(row, tried)
    this.#ctx.traces?.attempted(row, tried.record)
    const growsOnSuccess = () => this.#windows.isFull(row.subscription_id, content.sendWindow)
    this.#settler.push(settlementOf({ delivery: row, content, attempt: tried, growsOnSuccess }))
    this.changed.ring()
  }
}

function observe({ attempts, lane, created_ms }: Claimed, { record }: AttemptResult) {
  deliveryMetrics.attemptS.observe(record.durationMs / 1000)
  if (attempts === 0 && lane === 0) deliveryMetrics.publishToArrivalS.observe((record.startedMs - created_ms) / 1000)
}
