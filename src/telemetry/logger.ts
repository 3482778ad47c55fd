import { type DestinationStream, type Logger, pino } from 'pino'
import { LineWriter } from './line-writer.ts'
import { prettyLine } from './pretty-line.ts'
import { printableJson } from './printable.ts'
import { describeError, withoutSecrets } from './redaction.ts'

export type { Logger }
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

let destination: DestinationStream = { write: () => undefined }

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
  const { isTTY } = process[stream] // a pipe that is looked at so keeps nobody waiting from then on
  if (isTTY) destination = { write: (line) => process[stream].write(prettyLine(line)) }
  else if (stream === 'stderr') destination = { write: (line) => process.stderr.write(line) }
  else destination = lineWriter()
}

function lineWriter(): LineWriter {
  const lines = new LineWriter(1, (lost) =>
    logger.warn({ lines: lost }, 'Lines of the log were lost: nobody took them'),
  )
  process.on('exit', () => lines.flushSync())
  return lines
}
