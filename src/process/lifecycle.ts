import { errorMessageOf } from '../telemetry/error-message.ts'
import { flushLog, logger } from '../telemetry/logger.ts'
import { Disposables } from './disposables.ts'

/** The time that a stop may take; who started us kills us after more. */
const STOP_MS = 14_000
/** npm and a terminal both pass a signal on, so the same one often arrives twice. */
const ECHO_MS = 1_000

export type Lifecycle = {
  /** What is opened here is closed, the last first, when the process stops. */
  opened: Disposables
  /** Aborts at the first signal to stop; whoever waits for something while starting gives up then. */
  stopping: AbortSignal
  /** Stops the process with status 1, after this was logged. */
  fail: (reason: unknown) => void
}

/**
 * Runs `start`, and ends the process when it fails, or in order at SIGTERM or SIGINT: what was opened is closed within
 * 15 s and the status is 0. A second signal ends it at once.
 */
export async function runUntilStopped(start: (life: Lifecycle) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const opened = new Disposables()
  let status = 0
  const fail = (reason: unknown) => {
    if (!stop.signal.aborted) {
      logger.fatal({ err: reason }, 'The process cannot go on')
      status = 1
    }
    stop.abort()
  }
  listenForSignals(stop)
  const late = () => setTimeout(() => end(status, 'The process did not stop in time'), STOP_MS).unref()
  stop.signal.addEventListener('abort', late, { once: true })
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  try {
    await start({ opened, stopping: stop.signal, fail })
  } catch (error) {
    if (!stop.signal.aborted) {
      status = 1
      tell(error)
    }
    stop.abort()
  }
  await aborted(stop.signal)
  await opened[Symbol.asyncDispose]()
  logger.info('Stopped')
  end(status)
}

function listenForSignals(stop: AbortController) {
  let firstAt = 0
  const onSignal = (signal: NodeJS.Signals) => {
    if (!stop.signal.aborted) {
      logger.info({ signal }, 'Stopping: what is in flight ends first')
      firstAt = performance.now()
      stop.abort()
    } else if (performance.now() - firstAt > ECHO_MS) end(1, 'Stopped at once by a second signal')
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

function end(status: number, complaint?: string): never {
  if (complaint) logger.error(complaint)
  flushLog()
  process.exit(complaint ? 1 : status)
}

/** One line for the person who starts the process; how it came about goes to the log, if that is detailed. */
function tell(error: unknown) {
  process.stderr.write(`developer-api: ${errorMessageOf(error)}\n`)
  logger.debug({ err: error }, 'The process did not start')
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
