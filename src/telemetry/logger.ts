import { type DestinationStream, type Logger, pino } from 'pino'
import { prettyLine } from './pretty-line.ts'
import { printableJson } from './printable.ts'
import { describeError, withoutSecrets } from './redaction.ts'

export type { Logger }
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** Lines are buffered for at most this long, so that a busy server writes them in batches. */
const FLUSH_MS = 200
const BATCH_BYTES = 4_096

let destination: DestinationStream & { flushSync?: () => void } = { write: () => undefined }

/**
 * The log of the process: one JSON object per line. Silent until `openLog`, so that verbs can log wherever they run. Every
 * line passes redaction.ts, which removes credentials, and shows as escapes what could not be seen.
 */
export const logger: Logger = pino(
  {
    level: 'silent',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
    hooks: { streamWrite: (line) => printableJson(withoutSecrets(line)) },
  },
  { write: (line: string) => destination.write(line) },
)

/** Sets where lines go: `stdout` for a service, `stderr` for a command, whose stdout is its result. */
export function openLog(level: LogLevel, stream: 'stdout' | 'stderr' = 'stdout') {
  logger.level = level
  const fd = stream === 'stdout' ? 1 : 2
  if (process[stream].isTTY) {
    destination = { write: (line) => process[stream].write(prettyLine(line)) }
    return
  }
  const isService = stream === 'stdout'
  destination = isService ? batched(fd) : pino.destination({ dest: fd, sync: true })
}

/** Flushes after a line, not by the clock: the library's `periodicFlush` writes ten times a second though there is nothing to write. */
function batched(fd: number) {
  const file = pino.destination({ dest: fd, sync: false, minLength: BATCH_BYTES })
  let isFlushDue = false
  const flush = () => {
    isFlushDue = false
    file.flush()
  }
  return {
    write(line: string) {
      file.write(line)
      if (isFlushDue) return
      isFlushDue = true
      setTimeout(flush, FLUSH_MS).unref()
    },
    flushSync: () => file.flushSync(),
  }
}

/** Writes buffered lines. Call it before the process ends. */
export function flushLog() {
  destination.flushSync?.()
}
