import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import type { Target } from './db/client.ts'
import { logger } from './telemetry/logger.ts'

/** What the first process and those that serve tell each other; the counters have messages of their own. */
export type Message = { kind: 'database'; target: Target } | { kind: 'ready' } | { kind: 'failed'; reason: string }

const REPLACE_AFTER_MS = 1_000

/** The processes that serve. One that ends by itself is replaced. */
export class Crew {
  readonly #size: number
  readonly #storage: Promise<{ target: Target }>
  readonly #stopping: AbortSignal
  readonly #members = new Set<Worker>()

  /** Where the database is, is passed on once it is known; the processes listen before that. */
  constructor(size: number, storage: Promise<{ target: Target }>, stopping: AbortSignal) {
    this.#size = size
    this.#storage = storage
    this.#stopping = stopping
  }

  /** Resolves when all are ready; rejects with the reason of the first that cannot be. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#size }, () => this.#hire()))
  }

  /** Replaces one after the other, each by one that is ready: new code and configuration without a gap. */
  async replaceAll(): Promise<void> {
    for (const worker of [...this.#members]) {
      await this.#hire()
      await this.#dismiss(worker)
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#members].map((worker) => this.#dismiss(worker)))
  }

  async #hire(): Promise<void> {
    const worker = cluster.fork()
    this.#members.add(worker)
    worker.once('exit', (code, signal) => this.#lose(worker, signal ?? code))
    this.#storage.then(
      ({ target }) => worker.isConnected() && worker.send({ kind: 'database', target } satisfies Message),
      () => {}, // whoever awaits the database itself hears of it
    )
    await readiness(worker)
  }

  async #dismiss(worker: Worker): Promise<void> {
    if (!this.#members.delete(worker)) return
    const ended = once(worker, 'exit')
    worker.process.kill('SIGTERM') // worker.kill() would first cut the connections that the process still has to answer
    await ended
  }

  #lose(worker: Worker, how: string | number) {
    if (!this.#members.delete(worker) || this.#stopping.aborted) return
    logger.error({ pid: worker.process.pid, how }, 'A process ended; another one takes its place')
    void this.#replace()
  }

  async #replace(): Promise<void> {
    await after(REPLACE_AFTER_MS, undefined, { signal: this.#stopping }).catch(() => {})
    if (this.#stopping.aborted) return
    await this.#hire().catch((error: unknown) => logger.error({ err: error }, 'A process did not start'))
  }
}

async function readiness(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = withResolvers()
  worker.on('message', (message: Message) => {
    if (message.kind === 'ready') resolve()
    if (message.kind === 'failed') reject(new Error(message.reason))
  })
  worker.once('exit', () => reject(new Error('A process ended before it was ready')))
  await promise
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers() {
  let resolve: () => void = () => {}
  let reject: (reason: Error) => void = () => {}
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}
