import { EdgeLogger } from '../../../telemetry/edge-logger.ts'
import type { Context } from '../../core/context.ts'
import type { OpenStream, OpenStreams } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'
import { CredentialWatch } from './credential-watch.ts'
import { endMostUnsent, hasMuchUnsent } from './unsent-limit.ts'

const TICK_MS = 500
/** Each tick reaches the streams of one slot, and so each stream once in fifteen seconds. */
const SLOTS = 30

type StreamsContext = Pick<Context, 'db' | 'credentials' | 'stopping' | 'log'>

/** One timer for all streams of a process, however many there are. It runs while there are any. */
export class ProcessStreams implements OpenStreams {
  readonly #slots = Array.from({ length: SLOTS }, () => new Set<OpenStream>())
  readonly #unsent = new Set<OpenStream>()
  readonly #credentials: CredentialWatch
  readonly #edge: EdgeLogger
  readonly #stopping: AbortSignal
  #timer: NodeJS.Timeout | undefined
  #ticks = 0
  #added = 0
  #open = 0
  #isChecking = false

  constructor(ctx: StreamsContext) {
    this.#credentials = new CredentialWatch(ctx)
    this.#edge = new EdgeLogger(ctx.log, {
      down: 'Credentials of open streams could not be checked',
      up: 'Credentials of open streams are checked again',
    })
    this.#stopping = ctx.stopping
    ctx.stopping.addEventListener('abort', () => this.#endAll(), { once: true })
  }

  add(stream: OpenStream): () => void {
    const slot = this.#slots[this.#added++ % SLOTS]
    slot?.add(stream)
    const unwatch = this.#credentials.add(stream)
    if (this.#open++ === 0) this.#timer = setInterval(() => this.#tick(), TICK_MS)
    if (this.#stopping.aborted) queueMicrotask(() => stream.end(shutdown()))
    return () => {
      if (!slot?.delete(stream)) return
      unwatch()
      this.#unsent.delete(stream)
      if (--this.#open === 0) clearInterval(this.#timer)
    }
  }

  noteUnsent(stream: OpenStream): void {
    this.#unsent.add(stream)
  }

  #tick() {
    for (const stream of this.#slots[this.#ticks++ % SLOTS] ?? []) stream.beat()
    for (const stream of this.#unsent) if (!hasMuchUnsent(stream)) this.#unsent.delete(stream)
    if (this.#unsent.size > 0) endMostUnsent(this.#unsent)
    void this.#check()
  }

  async #check() {
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      await this.#credentials.check()
      this.#edge.up()
    } catch (error) {
      this.#edge.down({ err: error })
    } finally {
      this.#isChecking = false
    }
  }

  #endAll() {
    for (const slot of this.#slots) for (const stream of [...slot]) stream.end(shutdown())
  }
}

const shutdown = () => ({
  reason: 'shutdown' as const,
  problem: new Problem('unavailable', 'The service is stopping: ask again.', { retryAfterS: 1 }),
})
