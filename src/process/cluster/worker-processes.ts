import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import type { DatabaseTarget } from '../../db/client.ts'
import { logger } from '../../telemetry/logger.ts'

/**
 * Messages between the primary and its worker processes; counters and metrics have their own. A rolling restart may run
 * workers of a newer release under an older primary, so messages keep their form.
 */
export type ClusterMessage =
  /** From a new worker: it is listening for messages, which would be lost before. */
  | { kind: 'here' }
  /** Start, with the database if it is ready already. */
  | { kind: 'begin'; target?: DatabaseTarget }
  | { kind: 'database'; target: DatabaseTarget }
  | { kind: 'ready' }
  | { kind: 'failed'; reason: string }

const REPLACE_AFTER_MS = 1_000
/** More than a worker takes that works; so much less than the primary has itself that the database is closed behind it. */
const KILL_AFTER_MS = 12_000
const LOST_MAX = 3

class LostWorker extends Error {
  override readonly name = 'LostWorker'
  readonly how: string | number

  constructor(how: string | number) {
    super(`A worker process exited before it was ready (${how})`)
    this.how = how
  }
}

/** The worker processes of a cluster. One that exits by itself is replaced. */
export class WorkerProcesses {
  readonly #size: number
  readonly #storage: Promise<{ target: DatabaseTarget }>
  readonly #stopping: AbortSignal
  readonly #workers = new Set<Worker>()
  readonly #ending = new Set<Promise<void>>()
  #target: DatabaseTarget | undefined

  /** The workers answer 503 until `storage` resolves and they are sent its address. */
  constructor(size: number, storage: Promise<{ target: DatabaseTarget }>, stopping: AbortSignal) {
    this.#size = size
    this.#storage = storage
    this.#stopping = stopping
  }

  /** Resolves when all are ready; rejects with the reason of the first that fails. One that is killed meanwhile is replaced. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#size }, () => this.#forkAgain()))
  }

  /** A worker that ends without a word was killed, by somebody or for want of memory; thrice in a row it is no accident. */
  async #forkAgain(): Promise<void> {
    for (let lost = 1; ; lost++) {
      try {
        return await this.#fork()
      } catch (error) {
        if (!(error instanceof LostWorker) || lost === LOST_MAX || this.#stopping.aborted) throw error
        logger.error({ how: error.how }, 'Worker process exited before it was ready: starting a replacement')
        await after(REPLACE_AFTER_MS, undefined, { signal: this.#stopping })
      }
    }
  }

  /** Replaces each worker, once its replacement is ready: new code and configuration without an interruption. */
  async replaceAll(): Promise<void> {
    for (const worker of [...this.#workers]) {
      await this.#fork()
      await this.#terminate(worker)
    }
  }

  /** Resolves when none is left, also of those that were told to end before. */
  async stop(): Promise<void> {
    for (const worker of this.#workers) void this.#terminate(worker)
    await Promise.all(this.#ending)
  }

  async #fork(): Promise<void> {
    const worker = cluster.fork()
    this.#workers.add(worker)
    worker.on('message', ({ kind }: ClusterMessage) => {
      if (kind === 'here') this.#begin(worker).catch(() => {}) // whoever opens the storage handles its failure
    })
    try {
      await untilReady(worker)
    } catch (error) {
      await this.#terminate(worker)
      throw error
    }
    worker.once('exit', (code, signal) => void this.#replace(worker, signal ?? code))
  }

  async #begin(worker: Worker): Promise<void> {
    const send = (message: ClusterMessage) => worker.isConnected() && worker.send(message)
    if (this.#target) return void send({ kind: 'begin', target: this.#target })
    send({ kind: 'begin' })
    const { target } = await this.#storage
    this.#target = target
    send({ kind: 'database', target })
  }

  async #terminate(worker: Worker): Promise<void> {
    if (!this.#workers.delete(worker) || worker.isDead()) return
    const ending = end(worker)
    this.#ending.add(ending)
    await ending
    this.#ending.delete(ending)
  }

  /** Forks again and again until a replacement is ready. */
  async #replace(lost: Worker, how: string | number): Promise<void> {
    if (!this.#workers.delete(lost)) return
    while (!this.#stopping.aborted) {
      logger.error({ pid: lost.process.pid, how }, 'Worker process exited unexpectedly: starting a replacement')
      await after(REPLACE_AFTER_MS, undefined, { signal: this.#stopping }).catch(() => {})
      if (await this.#tryToFork()) return
    }
  }

  async #tryToFork(): Promise<boolean> {
    try {
      if (!this.#stopping.aborted) await this.#fork()
      return true
    } catch (error) {
      logger.error({ err: error }, 'Worker process failed to start')
      return false
    }
  }
}

async function end(worker: Worker): Promise<void> {
  const exited = once(worker, 'exit')
  worker.process.kill('SIGTERM') // worker.kill() would first close the connections that the worker still has to answer
  const killing = setTimeout(killStuck, KILL_AFTER_MS, worker)
  await exited
  clearTimeout(killing)
}

/** One that is stopped or blocked hears no signal but this, and would hold up the end of the others for good. */
function killStuck({ process: stuck }: Worker): void {
  logger.error({ pid: stuck.pid }, 'Worker process does not end: killing it')
  stuck.kill('SIGKILL')
}

async function untilReady(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = withResolvers()
  worker.on('message', (message: ClusterMessage) => {
    if (message.kind === 'ready') resolve()
    if (message.kind === 'failed') reject(new Error(message.reason))
  })
  worker.once('exit', (code, signal) => reject(new LostWorker(signal ?? code)))
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
