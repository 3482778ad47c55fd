import { readOwn } from './owned-files.ts'

/** How many of the last lines of the log may be about the server that has ended; those of earlier ones stand before them. */
const LINES_MAX = 50
/** FATAL also ends a session alone, which says nothing about the server. */
const OF_A_SESSION = /terminating connection|the database system is|connection|client|role "|database "/

/** Why a server ended, by its log: the last line with FATAL or PANIC; undefined when it did not say. */
export function lastFailure(logFile: string): string | undefined {
  const lines = (readOwn(logFile) ?? '').trimEnd().split('\n').slice(-LINES_MAX)
  const failures = lines.flatMap((line) => /\b(?:PANIC|FATAL): .*/.exec(line) ?? [])
  return failures.findLast((failure) => failure.startsWith('PANIC') || !OF_A_SESSION.test(failure))
}
