import { type DestinationStream, type Logger, pino } from 'pino'
import { prettyLine } from './pretty-line.ts'
import { describeError, withoutSecrets } from './redaction.ts'

export type { Logger }
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** Lines wait at most this long, so that a busy server writes them in batches. */
const FLUSH_MS = 100
const BATCH_BYTES = 4_096

let destination: DestinationStream & { flushSync?: () => void } = { write: () => undefined }

/**
 * The process's log: one JSON object a line. Silent until `openLog`, so that verbs may log wherever they run; no line
 * carries a credential (see redaction.ts).
 */
export const logger: Logger = pino(
  {
    level: 'silent',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
    hooks: { streamWrite: withoutSecrets },
  },
  { write: (line: string) => destination.write(line) },
)

/** Where lines go from now on: `stdout` for a service, `stderr` for a command, whose output is something else. */
export function openLog(level: LogLevel, stream: 'stdout' | 'stderr' = 'stdout') {
  logger.level = level
  const fd = stream === 'stdout' ? 1 : 2
  if (process[stream].isTTY) {
    destination = { write: (line) => process[stream].write(prettyLine(line)) }
    return
  }
  const isService = stream === 'stdout'
  destination = pino.destination(
    isService ? { dest: fd, sync: false, minLength: BATCH_BYTES, periodicFlush: FLUSH_MS } : { dest: fd, sync: true },
  )
}

/** Writes what still waits; called before the process ends. */
export function flushLog() {
  destination.flushSync?.()
}
