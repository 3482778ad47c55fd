import { errorMessageOf } from '../telemetry/error-message.ts'
import { logger } from '../telemetry/logger.ts'
import { printable } from '../telemetry/printable.ts'
import { Disposables } from './disposables.ts'

/** How long a shutdown may take. Supervisors commonly send SIGKILL after 15 s or later. */
const STOP_MS = 14_000
/** npm and the terminal both forward a signal, so the same one often arrives twice. */
const REPEATED_SIGNAL_MS = 1_000

export type Lifecycle = {
  /** Closed in reverse order when the process stops. */
  disposables: Disposables
  /** Aborts at the first signal to stop, or when the process fails. Whatever waits during the start gives up then. */
  stopping: AbortSignal
  /** Logs the reason and stops the process with status 1. */
  fail: (reason: unknown) => void
}

/**
 * Runs `start`, then waits for SIGTERM or SIGINT. Either ends the process with status 0 within 15 s, after everything in
 * `disposables` was closed; a second signal ends it at once. A start that fails ends it with status 1.
 */
export async function runUntilStopped(start: (lifecycle: Lifecycle) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const disposables = new Disposables()
  let status = 0
  const fail = (reason: unknown) => {
    if (!stop.signal.aborted) {
      logger.fatal({ err: reason }, 'Fatal error: shutting down')
      status = 1
    }
    stop.abort()
  }
  stopOnSignals(stop)
  const limitShutdown = () => setTimeout(() => exit(status, 'Shutdown timed out'), STOP_MS).unref()
  stop.signal.addEventListener('abort', limitShutdown, { once: true })
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {}) // whoever read it has gone: no reason to end
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  let isRefused = false
  try {
    await start({ disposables, stopping: stop.signal, fail })
  } catch (error) {
    if (!stop.signal.aborted) {
      status = 1
      isRefused = true
      reportFailedStart(error)
    }
    stop.abort()
  }
  await aborted(stop.signal)
  await disposables[Symbol.asyncDispose]()
  if (!isRefused) logger.info('Stopped')
  exit(status)
}

function stopOnSignals(stop: AbortController) {
  let firstAt = 0
  const onSignal = (signal: NodeJS.Signals) => {
    if (!stop.signal.aborted) {
      logger.info({ signal }, 'Stopping: waiting for requests and deliveries in flight')
      firstAt = performance.now()
      stop.abort()
    } else if (performance.now() - firstAt > REPEATED_SIGNAL_MS) exit(1, 'Second signal: exiting at once')
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** With a complaint, which is logged, the status is 1. */
function exit(status: number, complaint?: string): never {
  if (complaint) logger.error(complaint)
  process.exit(complaint ? 1 : status)
}

/** One line for the person who started the process. The stack goes to the log, at level debug. */
function reportFailedStart(error: unknown) {
  process.stderr.write(`developer-api: ${printable(errorMessageOf(error))}\n`)
  logger.debug({ err: error }, 'Startup failed')
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
