import { within } from '../../../time/within.ts'
import type { Context } from '../../core/context.ts'
import type { Pace } from '../../events/receiver-pace.ts'
import { Signal } from '../../events/streams/signal.ts'
import { createSender, type Sender, sendAttempt } from '../http/send.ts'
import type { Claimed, Lane } from '../queue/claim.ts'
import { ConcurrencyWindows } from '../queue/concurrency-window.ts'
import { DatabaseClock } from '../queue/database-clock.ts'
import { registerAttempts } from '../queue/in-flight.ts'
import { type DeliveryContent, type LoadedDelivery, loadContents } from '../queue/load.ts'
import { settlementOf } from '../queue/outcome.ts'
import { releaseOf } from '../queue/settlement.ts'
import { triage } from '../queue/triage.ts'
import { OpenedSecrets } from '../secrets/secrets.ts'
import { ClaimTurns } from './claim-turns.ts'
import { WorkCounter } from './counts.ts'
import { deliveryMetrics } from './metrics.ts'
import { SettleBatcher } from './settle-batcher.ts'
import { writeWaits, writeWaitsSoon } from './waits.ts'

/** How many attempts a process makes at once. */
export const SLOTS = 128
/** Retries and replays leave at least a third of the slots to first attempts. */
const RETRY_SLOTS = Math.floor((SLOTS * 2) / 3)
/** Receivers whose last attempts took long, of whatever owner: each holds its slot for seconds. */
const SLOW_SLOTS = Math.floor(SLOTS / 3)
/** An eighth is for receivers that are known to be fast alone, whatever all others do. */
const FAST_SLOTS = Math.floor(SLOTS / 8)
/** Receivers of which nothing is known yet: more than one owner may have in flight, or a new receiver would wait for them. */
const UNPROVEN_SLOTS = SLOTS - SLOW_SLOTS - FAST_SLOTS
/** With more results than this waiting for the database, no attempt is begun. */
const UNSETTLED_MAX = 4 * SLOTS
const UNSIGNABLE_PAUSE_S = 60
const SETTLE_AT_STOP_MS = 3_000
const ENDED_KEPT_MS = 60_000

type RunningAttempt = { row: Claimed; abort: AbortController }

export type EngineOptions = {
  /** How receivers are reached. By default as the context's policy says. */
  sender?: Sender
}

/** Claims, sends and settles for one call of `workDeliveries`. */
export class Engine {
  readonly counter = new WorkCounter()
  readonly #ctx: Context
  readonly #sender: Sender
  readonly #secrets: OpenedSecrets
  readonly #batcher: SettleBatcher
  readonly #windows = new ConcurrencyWindows()
  readonly #running = new Map<string, RunningAttempt>()
  readonly #ended = new Map<string, number>()
  readonly #turns: ClaimTurns
  readonly #unregister: () => void
  /** Notified when an attempt has ended, and when results are settled. */
  readonly changed = new Signal()
  #isStopping = false

  constructor(ctx: Context, { sender = createSender(ctx) }: EngineOptions = {}) {
    this.#ctx = ctx
    this.#sender = sender
    this.#turns = new ClaimTurns(ctx)
    this.#secrets = new OpenedSecrets(ctx.keyring)
    this.#batcher = new SettleBatcher(ctx, (batch, settled) => {
      this.counter.count(ctx, batch, settled)
      writeWaitsSoon(ctx)
      this.changed.notify()
    })
    this.#unregister = registerAttempts(this)
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#batcher.pending === 0
  }

  /** The error with which settling fails at the moment, if it does. */
  get failure(): unknown {
    return this.#batcher.failure
  }

  /** Claims as many rows as there are free slots and begins their attempts. Returns how many it claimed. */
  async claim(lane: Lane): Promise<number> {
    const limit = this.#freeSlots(lane)
    if (limit <= 0) return 0
    const { rows, databaseMs } = await this.#turns.claim(lane, limit, this.#freePlaces(limit))
    if (rows.length > 0) await this.#begin(rows, new DatabaseClock(databaseMs))
    return rows.length
  }

  /** Ends the attempts of a subscription that was deleted; rows of it that are claimed already are not begun. */
  endAttemptsOf(subscriptionId: string) {
    const now = performance.now()
    for (const [id, at] of this.#ended) if (at < now - ENDED_KEPT_MS) this.#ended.delete(id)
    this.#ended.set(subscriptionId, now)
    for (const { row, abort } of this.#running.values()) if (row.subscription_id === subscriptionId) abort.abort()
  }

  /** Drops signing keys that were decrypted more than a minute ago. To be called regularly. */
  forgetOldKeys() {
    this.#secrets.forgetOld()
  }

  /** Lets attempts finish for `graceMs`, aborts the others, settles the results and gives the aborted ones back. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    const until = performance.now() + graceMs
    while (this.#running.size > 0 && performance.now() < until) await this.changed.wait(until - performance.now())
    for (const { abort } of this.#running.values()) abort.abort()
    while (this.#running.size > 0) await this.changed.wait(SETTLE_AT_STOP_MS)
    await this.#batcher.drained(SETTLE_AT_STOP_MS)
    await within(SETTLE_AT_STOP_MS, writeWaits(this.#ctx), () => {})
    this.#unregister()
    await this.#sender.transport.close()
  }

  #freeSlots(lane: Lane): number {
    if (this.#isStopping || this.#batcher.pending > UNSETTLED_MAX) return 0
    const free = SLOTS - this.#running.size
    if (lane === 0) return free
    return Math.min(free, RETRY_SLOTS - this.#countRunning(({ lane: other }) => other === 1))
  }

  #freePlaces(limit: number): Record<Pace, number> {
    const free = (slots: number, pace: Pace) => Math.max(0, slots - this.#countRunning((row) => row.pace === pace))
    return { fast: limit, unproven: free(UNPROVEN_SLOTS, 'unproven'), slow: free(SLOW_SLOTS, 'slow') }
  }

  #countRunning(is: (row: Claimed) => boolean): number {
    let n = 0
    for (const { row } of this.#running.values()) if (is(row)) n++
    return n
  }

  async #begin(rows: Claimed[], clock: DatabaseClock) {
    const loaded = await loadContents(this.#ctx, rows).catch((error: unknown) => {
      for (const row of rows) this.#batcher.push(releaseOf(row))
      throw error
    })
    for (const row of rows) this.#beginOne(row, loaded.get(row.id), clock)
  }

  #beginOne(row: Claimed, loaded: LoadedDelivery | undefined, clock: DatabaseClock) {
    const isStopped = this.#isStopping || this.#ended.has(row.subscription_id)
    const triaged = triage(row, loaded, clock, isStopped)
    if ('settle' in triaged) return this.#batcher.push(triaged.settle)
    const subscription = row.subscription_id
    const keys = this.#secrets.openAll(subscription, triaged.send.secrets, (error) =>
      this.#ctx.log.error({ err: error, subscription }, 'A webhook signing secret could not be decrypted'),
    )
    if (keys.length === 0) return this.#batcher.push(releaseOf(row, UNSIGNABLE_PAUSE_S))
    void this.#send(row, triaged.send, keys, clock)
  }

  async #send(row: Claimed, content: DeliveryContent, keys: Buffer[], clock: DatabaseClock) {
    const abort = new AbortController()
    this.#running.set(row.lease, { row, abort })
    deliveryMetrics.inFlight[row.pace]++
    const request = { delivery: row, url: content.url, payload: content.payload, keys }
    const attempt = await sendAttempt(this.#sender, request, clock, abort.signal)
    this.#running.delete(row.lease)
    deliveryMetrics.inFlight[row.pace]--
    deliveryMetrics.attemptS.observe(attempt.record.durationMs / 1000)
    this.#ctx.traces?.attempted(row, attempt.record)
    const growsOnSuccess = () => this.#windows.isFull(row.subscription_id, content.sendWindow)
    this.#batcher.push(settlementOf({ delivery: row, content, attempt, growsOnSuccess }))
    this.changed.notify()
  }
}
