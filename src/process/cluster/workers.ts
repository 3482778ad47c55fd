import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import type { DatabaseTarget } from '../../db/client.ts'
import { logger } from '../../telemetry/logger.ts'

/** What the first process and those that serve tell each other; the counters have messages of their own. */
export type ClusterMessage =
  /** From a new process: it listens to what it is told, which would be lost before. */
  | { kind: 'here' }
  /** Go ahead, with the database if it is there already. */
  | { kind: 'begin'; target?: DatabaseTarget }
  | { kind: 'database'; target: DatabaseTarget }
  | { kind: 'ready' }
  | { kind: 'failed'; reason: string }

const REPLACE_AFTER_MS = 1_000

/** The processes that serve. One that ends by itself is replaced. */
export class WorkerProcesses {
  readonly #size: number
  readonly #storage: Promise<{ target: DatabaseTarget }>
  readonly #stopping: AbortSignal
  readonly #members = new Set<Worker>()
  #target: DatabaseTarget | undefined

  /** Where the database is, is passed on once it is known; until then the processes answer 503. */
  constructor(size: number, storage: Promise<{ target: DatabaseTarget }>, stopping: AbortSignal) {
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
    worker.on('message', ({ kind }: ClusterMessage) => {
      if (kind === 'here') this.#instruct(worker).catch(() => {}) // whoever awaits the database itself hears of it
    })
    try {
      await readiness(worker)
    } catch (error) {
      await this.#dismiss(worker)
      throw error
    }
    worker.once('exit', (code, signal) => void this.#replace(worker, signal ?? code))
  }

  async #instruct(worker: Worker): Promise<void> {
    const tell = (message: ClusterMessage) => worker.isConnected() && worker.send(message)
    if (this.#target) return void tell({ kind: 'begin', target: this.#target })
    tell({ kind: 'begin' })
    const { target } = await this.#storage
    this.#target = target
    tell({ kind: 'database', target })
  }

  async #dismiss(worker: Worker): Promise<void> {
    if (!this.#members.delete(worker) || worker.isDead()) return
    const ended = once(worker, 'exit')
    worker.process.kill('SIGTERM') // worker.kill() would first cut the connections that the process still has to answer
    await ended
  }

  /** For one that ended by itself, as soon as another one can be had. */
  async #replace(lost: Worker, how: string | number): Promise<void> {
    if (!this.#members.delete(lost)) return
    while (!this.#stopping.aborted) {
      logger.error({ pid: lost.process.pid, how }, 'A process ended; another one takes its place')
      await after(REPLACE_AFTER_MS, undefined, { signal: this.#stopping }).catch(() => {})
      if (await this.#tryToHire()) return
    }
  }

  async #tryToHire(): Promise<boolean> {
    try {
      if (!this.#stopping.aborted) await this.#hire()
      return true
    } catch (error) {
      logger.error({ err: error }, 'A process did not start')
      return false
    }
  }
}

async function readiness(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = withResolvers()
  worker.on('message', (message: ClusterMessage) => {
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
